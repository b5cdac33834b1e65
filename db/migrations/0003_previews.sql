CREATE TABLE `previews` (
	`cluster` integer NOT NULL,
	`hash` text NOT NULL,
	`taken_at` integer NOT NULL,
	`fates` text NOT NULL,
	PRIMARY KEY(`cluster`, `hash`)
);
--> statement-breakpoint
CREATE INDEX `previews_taken` ON `previews` (`cluster`,`taken_at`);