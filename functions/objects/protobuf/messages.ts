import type { MessageTable } from "./message-table.ts";
import { admissionregistrationMessages } from "./messages/admissionregistration.ts";
import { apiextensionsMessages } from "./messages/apiextensions.ts";
import { apiserverMessages } from "./messages/apiserver.ts";
import { appsMessages } from "./messages/apps.ts";
import { authenticationMessages } from "./messages/authentication.ts";
import { authorizationMessages } from "./messages/authorization.ts";
import { autoscalingMessages } from "./messages/autoscaling.ts";
import { batchMessages } from "./messages/batch.ts";
import { certificatesMessages } from "./messages/certificates.ts";
import { coordinationMessages } from "./messages/coordination.ts";
import { coreMessages } from "./messages/core.ts";
import { discoveryMessages } from "./messages/discovery.ts";
import { eventsMessages } from "./messages/events.ts";
import { extensionsMessages } from "./messages/extensions.ts";
import { flowcontrolMessages } from "./messages/flowcontrol.ts";
import { metaMessages } from "./messages/meta.ts";
import { networkingMessages } from "./messages/networking.ts";
import { nodeMessages } from "./messages/node.ts";
import { policyMessages } from "./messages/policy.ts";
import { rbacMessages } from "./messages/rbac.ts";
import { schedulingMessages } from "./messages/scheduling.ts";
import { storageMessages } from "./messages/storage.ts";

/** A field of a message, ready for decoding. */
export interface Field {
  readonly name: string;
  readonly type: string;
  /** Where the message `type` is to be looked up. */
  readonly apiVersion: string;
  readonly shape: "single" | "list" | "map" | "inline";
  readonly kept: boolean;
}

export interface Message {
  readonly fields: ReadonlyMap<number, Field>;
  /** The field that JSON shows in place of the whole message. */
  readonly standIn: string | undefined;
}

const TABLES: MessageTable = {
  ...admissionregistrationMessages,
  ...apiextensionsMessages,
  ...apiserverMessages,
  ...appsMessages,
  ...authenticationMessages,
  ...authorizationMessages,
  ...autoscalingMessages,
  ...batchMessages,
  ...certificatesMessages,
  ...coordinationMessages,
  ...coreMessages,
  ...discoveryMessages,
  ...eventsMessages,
  ...extensionsMessages,
  ...flowcontrolMessages,
  ...metaMessages,
  ...networkingMessages,
  ...nodeMessages,
  ...policyMessages,
  ...rbacMessages,
  ...schedulingMessages,
  ...storageMessages,
};

/**
 * Versions whose messages are among those of another one, but for their own in the table. The betas of workloads had
 * two fields more, `rollbackTo` and `templateGeneration`, which nobody reads any more.
 */
const READ_AS: Readonly<Record<string, string>> = {
  "apps/v1beta1": "apps/v1",
  "apps/v1beta2": "apps/v1",
  "batch/v1beta1": "batch/v1",
  "coordination.k8s.io/v1alpha2": "coordination.k8s.io/v1beta1",
  "extensions/v1beta1": "apps/v1",
  "flowcontrol.apiserver.k8s.io/v1beta1": "flowcontrol.apiserver.k8s.io/v1",
  "policy/v1beta1": "policy/v1",
};

const STAND_IN = "=";
const META = "meta.k8s.io/v1";
const known = new Map<string, Message>();

/** The message that a kind is sent as; undefined when there is none, as for every custom resource. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  // Clients say it in the version of the resource that they delete.
  return kind === "DeleteOptions" ? findMessage(META, kind) : findMessage(apiVersion, kind);
}

export function findMessage(apiVersion: string, name: string): Message | undefined {
  const key = `${apiVersion}.${name}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const home = hasMessage(apiVersion, name) ? apiVersion : own(READ_AS, apiVersion);
  if (home === undefined || !hasMessage(home, name)) return undefined;
  const entries = Object.entries(TABLES[home]?.[name] ?? {});
  const fields = new Map(entries.map(([number, text]) => [Number(number), readField(text, home)]));
  const standIn = [...fields.values()].some((field) => field.name === STAND_IN) ? STAND_IN : undefined;
  const message = { fields, standIn };
  known.set(key, message);
  return message;
}

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

function hasMessage(apiVersion: string, name: string): boolean {
  const messages = own(TABLES, apiVersion);
  return messages !== undefined && Object.hasOwn(messages, name);
}

const FIELD =
  /^(?:(?<inline>\.\.\.)|(?<name>\S+) )(?<shape>\[\]|map )?(?:(?<version>\S+)\.)?(?<type>\w+)(?<kept>!)?$/;

function readField(text: string, home: string): Field {
  const parts = FIELD.exec(text)?.groups;
  if (parts === undefined) throw new Error(`a message table is wrong at ${JSON.stringify(text)}`);
  const { inline, name = "", shape, version = home, type = "", kept } = parts;
  return {
    name,
    type,
    apiVersion: version,
    shape: inline !== undefined ? "inline" : shape === "[]" ? "list" : shape === undefined ? "single" : "map",
    kept: kept !== undefined,
  };
}
