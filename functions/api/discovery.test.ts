import { describe, expect, test } from "vitest";
import recordedDocument from "../../test/recorded/discovery-1.20.json" with { type: "json" };
import { parseApiVersion } from "../objects/kind.ts";
import { customKind } from "../objects/kinds/custom-resource.ts";
import { kindRegistry } from "../objects/kinds/registry.ts";
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  discoveryContentType,
  discoveryForm,
  versionDocument,
} from "./discovery.ts";

interface Resource {
  name: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
}

const recorded: Record<string, Resource[]> = recordedDocument;

/** Not objects that are kept, or ways to a node or a network that is not there. */
const NOT_SERVED = /^(bindings|componentstatuses)$|\/(proxy|attach|exec|log|portforward)$/;

const registry = kindRegistry([]);

function resources(groupVersion: string): Resource[] {
  const { group, version } = parseApiVersion(groupVersion) ?? { group: "", version: "" };
  return (apiResourceList(registry, group, version)?.resources ?? []) as unknown as Resource[];
}

const cases = Object.entries(recorded).flatMap(([groupVersion, list]) =>
  list.filter(({ name }) => !NOT_SERVED.test(name)).map((resource) => ({ groupVersion, ...resource })),
);

test.each(cases)("$groupVersion $name is served as recorded", ({ groupVersion, verbs, ...expected }) => {
  const found = resources(groupVersion).find(({ name }) => name === expected.name);
  expect(found).toMatchObject({
    name: expected.name,
    namespaced: expected.namespaced,
    kind: expected.kind,
  });
  expect(found?.shortNames).toEqual(expected.shortNames);
  expect(found?.categories).toEqual(expected.categories);
  expect(found?.verbs).toEqual(expect.arrayContaining(verbs));
});

test("the recording has not been emptied by the exclusions", () => {
  expect(cases.length).toBeGreaterThan(70);
});

describe("plain documents", () => {
  test("/api names the core version", () => {
    expect(apiVersions(registry, "example.com:443")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "example.com:443" }],
    });
  });

  test("/apis/apps prefers v1 and lists the old versions", () => {
    expect(apiGroup(registry, "apps")).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "apps",
      versions: [
        { groupVersion: "apps/v1", version: "v1" },
        { groupVersion: "apps/v1beta2", version: "v1beta2" },
        { groupVersion: "apps/v1beta1", version: "v1beta1" },
      ],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
  });

  test("/apis has every named group once, and not the core group", () => {
    const groups = apiGroupList(registry).groups as { name: string }[];
    const names = groups.map(({ name }) => name);
    expect(names).toContain("extensions");
    expect(names).not.toContain("");
    expect(new Set(names).size).toBe(names.length);
  });

  test("nothing is said about what is not served", () => {
    expect(apiGroup(registry, "")).toBeUndefined();
    expect(apiGroup(registry, "nope.example.com")).toBeUndefined();
    expect(apiResourceList(registry, "apps", "v9")).toBeUndefined();
  });

  test("versions of one group may hold different kinds", () => {
    expect(resources("policy/v1").map(({ name }) => name)).not.toContain("podsecuritypolicies");
    expect(resources("policy/v1beta1").map(({ name }) => name)).toContain("podsecuritypolicies");
    expect(resources("apps/v1beta1").map(({ name }) => name)).not.toContain("daemonsets");
  });

  test("a subresource of another group says which", () => {
    expect(resources("v1").find(({ name }) => name === "pods/eviction")).toMatchObject({
      group: "policy",
      version: "v1",
      kind: "Eviction",
    });
  });
});

describe("aggregated documents", () => {
  const widget = customKind({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wi"] },
      versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} } }],
    },
  });

  test("describe a kind with its subresources in one place", () => {
    const { items, ...list } = aggregatedDiscovery(kindRegistry([widget]), "apis", "v2");
    expect(list).toEqual({
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
    });
    expect((items as unknown[]).at(-1)).toEqual({
      metadata: { name: "example.com", creationTimestamp: null },
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "widgets",
              responseKind: { group: "example.com", version: "v1", kind: "Widget" },
              scope: "Namespaced",
              singularResource: "widget",
              verbs: [...widget.verbs],
              shortNames: ["wi"],
              subresources: [
                {
                  subresource: "status",
                  responseKind: { group: "example.com", version: "v1", kind: "Widget" },
                  verbs: ["get", "patch", "update"],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test("say the same as the plain ones", () => {
    for (const root of ["api", "apis"] as const) {
      const { items } = aggregatedDiscovery(registry, root, "v2beta1") as unknown as {
        items: {
          metadata: { name?: string };
          versions: { version: string; resources: { resource: string }[] }[];
        }[];
      };
      for (const { metadata, versions } of items) {
        for (const { version, resources: aggregated } of versions) {
          const plain = resources(metadata.name ? `${metadata.name}/${version}` : version);
          expect(aggregated.map(({ resource }) => resource)).toEqual(
            plain.map(({ name }) => name).filter((name) => !name.includes("/")),
          );
        }
      }
    }
  });
});

test.each([
  [null, "plain"],
  ["", "plain"],
  ["*/*", "plain"],
  ["application/json, */*", "plain"],
  [
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
    "v2",
  ],
  ["application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList, application/json", "v2beta1"],
  ["application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io", "v2"],
  ["application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json", "plain"],
  ["application/json;as=Table;g=meta.k8s.io;v=v1", "plain"],
  ["application/vnd.kubernetes.protobuf", "plain"],
])("Accept %s asks for the %s form", (accept, form) => {
  expect(discoveryForm(accept)).toBe(form);
});

test("a form's content type asks for that form", () => {
  for (const form of ["plain", "v2", "v2beta1"] as const) {
    expect(discoveryForm(discoveryContentType(form))).toBe(form);
  }
});

test("/version reads as a semantic version of the API level", () => {
  expect(versionDocument()).toMatchObject({ major: "1", minor: "34", gitVersion: "v1.34.0+kubegc" });
});
