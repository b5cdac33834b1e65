CREATE TABLE `changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`resource` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text NOT NULL,
	`uid` text NOT NULL,
	`at` integer NOT NULL,
	`previous` integer,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `clusters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`resource_version` integer DEFAULT 0 NOT NULL,
	`compacted_version` integer DEFAULT 0 NOT NULL,
	`kinds_version` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `clusters_name` ON `clusters` (`name`);--> statement-breakpoint
CREATE TABLE `deletions` (
	`cluster` integer NOT NULL,
	`uid` text NOT NULL,
	`resource` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text NOT NULL,
	`rule` text NOT NULL,
	`actor` text NOT NULL,
	`policy` text NOT NULL,
	`cause` text,
	`root` text NOT NULL,
	`began_at` integer NOT NULL,
	`removed_at` integer,
	`removed_version` integer,
	PRIMARY KEY(`cluster`, `uid`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `guard` (
	`superseded` integer,
	`stale` integer,
	`closed` integer,
	`moved` integer,
	CONSTRAINT "superseded" CHECK(superseded IS NULL),
	CONSTRAINT "stale" CHECK(stale IS NULL),
	CONSTRAINT "closed" CHECK(closed IS NULL),
	CONSTRAINT "moved" CHECK(moved IS NULL)
);
--> statement-breakpoint
CREATE TABLE `labels` (
	`cluster` integer NOT NULL,
	`resource` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`cluster`, `resource`, `key`, `value`, `namespace`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `namespaces_owner` (
	`cluster` integer NOT NULL,
	`namespace` text NOT NULL,
	`epoch` integer NOT NULL,
	`operation` text,
	`resource_version` integer,
	PRIMARY KEY(`cluster`, `namespace`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `objects` (
	`id` integer PRIMARY KEY NOT NULL,
	`cluster` integer NOT NULL,
	`resource` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text NOT NULL,
	`uid` text NOT NULL,
	`resource_version` integer NOT NULL,
	`deletion` text,
	`plain` integer NOT NULL,
	`sweep_at` integer,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `objects_key` ON `objects` (`cluster`,`resource`,`namespace`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `objects_uid` ON `objects` (`uid`);--> statement-breakpoint
CREATE INDEX `objects_sweep` ON `objects` (`cluster`,`sweep_at`) WHERE sweep_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `owner_refs` (
	`cluster` integer NOT NULL,
	`owner_uid` text NOT NULL,
	`namespace` text NOT NULL,
	`dependent_uid` text NOT NULL,
	`position` integer NOT NULL,
	`blocking` integer NOT NULL,
	PRIMARY KEY(`cluster`, `owner_uid`, `namespace`, `dependent_uid`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tokens` (
	`sha256` text PRIMARY KEY NOT NULL,
	`cluster` integer NOT NULL,
	`user` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tokens_cluster` ON `tokens` (`cluster`);--> statement-breakpoint
CREATE TABLE `work` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`cluster` integer NOT NULL,
	`namespace` text NOT NULL,
	`task` text NOT NULL,
	`uid` text NOT NULL,
	`stage` integer NOT NULL,
	`cursor` text DEFAULT '' NOT NULL,
	`detail` text,
	`due_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `work_key` ON `work` (`cluster`,`namespace`,`task`,`uid`);--> statement-breakpoint
CREATE INDEX `work_order` ON `work` (`cluster`,`namespace`,`stage`,`id`);