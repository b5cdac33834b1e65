CREATE TABLE `cron_leases` (
	`name` text PRIMARY KEY NOT NULL,
	`held_until` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sweep_runs` (
	`cluster` integer NOT NULL,
	`name` text NOT NULL,
	`sweep` text NOT NULL,
	`cause` text NOT NULL,
	`dry_run` integer DEFAULT 0 NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`found` integer DEFAULT 0 NOT NULL,
	`deleted` integer DEFAULT 0 NOT NULL,
	`patched` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`reported` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`deleted_objects` text DEFAULT '[]' NOT NULL,
	`skipped_objects` text DEFAULT '[]' NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`cluster`, `name`)
);
--> statement-breakpoint
CREATE INDEX `sweep_runs_order` ON `sweep_runs` (`cluster`,`sweep`,`started_at`);--> statement-breakpoint
CREATE TABLE `sweep_totals` (
	`cluster` integer NOT NULL,
	`namespace` text NOT NULL,
	`sweep` text NOT NULL,
	`rule` text NOT NULL,
	`deleted` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`cluster`, `namespace`, `sweep`, `rule`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP INDEX `objects_sweep`;--> statement-breakpoint
CREATE INDEX `objects_due` ON `objects` (`sweep_at`,`cluster`,`namespace`) WHERE sweep_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `objects_pod_node` ON `objects` (`cluster`,body ->> '$.spec.nodeName',`namespace`) WHERE resource = 'pods';--> statement-breakpoint
CREATE INDEX `objects_sweep` ON `objects` (`cluster`,`namespace`,`sweep_at`) WHERE sweep_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `clusters` ADD `resync_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `clusters_resync` ON `clusters` (`resync_at`);--> statement-breakpoint
ALTER TABLE `deletions` ADD `forget_at` integer;--> statement-breakpoint
CREATE INDEX `deletions_forget` ON `deletions` (`forget_at`) WHERE forget_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deletions_open` ON `deletions` (`cluster`,`root`) WHERE removed_at IS NULL;--> statement-breakpoint
INSERT INTO `work` (`cluster`, `namespace`, `task`, `uid`, `stage`) SELECT `id`, '', 'moments', '', 1 FROM `clusters`;--> statement-breakpoint
UPDATE `deletions` SET `forget_at` = `removed_at` + 2592000000 WHERE `removed_at` IS NOT NULL;
