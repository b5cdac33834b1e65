CREATE TABLE `counters` (
	`cluster` integer NOT NULL,
	`name` text NOT NULL,
	`label` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`cluster`, `name`, `label`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `counters` (`cluster`, `name`, `label`, `value`) SELECT `cluster`, 'objects', `resource`, count(*) FROM `objects` GROUP BY `cluster`, `resource`;--> statement-breakpoint
INSERT INTO `counters` (`cluster`, `name`, `label`, `value`) SELECT `cluster`, 'deletions', `rule`, count(*) FROM `deletions` WHERE `removed_at` IS NOT NULL GROUP BY `cluster`, `rule`;
