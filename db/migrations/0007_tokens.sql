ALTER TABLE `tokens` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `tokens` ADD `account_uid` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `bound_uid` text;--> statement-breakpoint
CREATE INDEX `tokens_expiry` ON `tokens` (`expires_at`) WHERE expires_at IS NOT NULL;