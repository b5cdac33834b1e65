CREATE TABLE `node_containers` (
	`cluster` integer NOT NULL,
	`node` text NOT NULL,
	`id` text NOT NULL,
	`pod_uid` text NOT NULL,
	`pod_namespace` text NOT NULL,
	`pod_name` text NOT NULL,
	`name` text NOT NULL,
	`attempt` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` real NOT NULL,
	`exited_at` integer,
	`gone_at` integer,
	PRIMARY KEY(`cluster`, `node`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `node_images` (
	`cluster` integer NOT NULL,
	`node` text NOT NULL,
	`key` text NOT NULL,
	`image` text NOT NULL,
	`handler` text NOT NULL,
	`tags` text NOT NULL,
	`digests` text NOT NULL,
	`size` integer NOT NULL,
	`pinned` integer NOT NULL,
	`first_detected` integer NOT NULL,
	`last_used` integer,
	`in_use` integer NOT NULL,
	`gone_at` integer,
	`gone_by` text,
	PRIMARY KEY(`cluster`, `node`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `nodes` (
	`cluster` integer NOT NULL,
	`node` text NOT NULL,
	`epoch` integer NOT NULL,
	`operation` text,
	`sequence` integer,
	`reported_at` integer,
	`boot` text,
	`file_systems` text,
	`state` text,
	PRIMARY KEY(`cluster`, `node`)
);
