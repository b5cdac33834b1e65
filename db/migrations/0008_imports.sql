CREATE TABLE `imports` (
	`cluster` integer NOT NULL,
	`session` text NOT NULL,
	`part` integer NOT NULL,
	`taken_at` integer NOT NULL,
	`items` text NOT NULL,
	PRIMARY KEY(`cluster`, `session`, `part`)
);
