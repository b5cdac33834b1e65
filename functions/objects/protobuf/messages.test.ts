import { expect, test } from "vitest";
import { apiVersion } from "../kind.ts";
import { builtInKinds } from "../kinds/built-in.ts";
import { KUBEGC } from "../kinds/kubegc.ts";
import { findMessage, type Message, messageOfKind } from "./messages.ts";
import { scalars, valueMessages } from "./value-messages.ts";

/** Kinds of our own are JSON only, as custom ones are. */
const upstream = builtInKinds.filter(({ group }) => group !== KUBEGC);

const served = upstream.flatMap((kind) =>
  kind.versions.flatMap((version) => [
    [apiVersion(kind.group, version), kind.kind] as const,
    ...kind.subresources.map(({ kind: name, groupVersion = { group: kind.group, version } }) => {
      return [apiVersion(groupVersion.group, groupVersion.version), name] as const;
    }),
  ]),
);

test.each([...served, ["v1", "DeleteOptions"], ["policy/v1", "DeleteOptions"]] as const)(
  "%s %s has a message, down to its last field",
  (version, kind) => {
    const seen = new Set<Message>();
    const visit = (message: Message | undefined, path: string): void => {
      expect(message, path).toBeDefined();
      if (message === undefined || seen.has(message)) return;
      seen.add(message);
      for (const { name, type, apiVersion } of message.fields.values()) {
        if (type in scalars || type in valueMessages) continue;
        visit(findMessage(apiVersion, type), `${path}.${name}`);
      }
    };
    visit(messageOfKind(version, kind), kind);
  },
);

test.each([
  ["example.com/v1", "Widget"],
  ["apps.example.com/v1", "Deployment"],
  ["v1", "Deployment"],
  ["v1", "constructor"],
  ["constructor", "name"],
  ["__proto__", "toString"],
])("%s %s has none", (version, kind) => {
  expect(messageOfKind(version, kind)).toBeUndefined();
});
