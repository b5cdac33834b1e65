import { describe, expect, test } from "vitest";
import { type Duration, parseDuration } from "../../objects/duration.ts";
import type { Json } from "../../objects/json.ts";
import { minAgeFault, thresholdFault } from "./collection-policy.ts";
import { type NodePolicy, readNodePolicy } from "./node-policy.ts";
import { DEFAULT_NODE_SETTINGS, settingsOf } from "./settings-of.ts";

const duration = (text: string): Duration => {
  const reading = parseDuration(text);
  if ("fault" in reading) throw new Error(reading.fault);
  return reading.duration;
};

function policy(spec: Json, name = "default"): NodePolicy {
  const reading = readNodePolicy(name, spec);
  if ("errors" in reading) throw new Error(JSON.stringify(reading.errors));
  return reading.policy;
}

const faults = (spec: Json): string[] => {
  const reading = readNodePolicy("default", spec);
  return "errors" in reading ? reading.errors.map(({ field, message }) => `${field}: ${message}`) : [];
};
const kubeletFaults = (kubeletConfiguration: Json): string[] => faults({ kubeletConfiguration });
const settings = (spec: Json) => settingsOf([policy(spec)], {}).settings;

const HIGH = "spec.kubeletConfiguration.imageGCHighThresholdPercent";
const LOW = "spec.kubeletConfiguration.imageGCLowThresholdPercent";
const MAX = "spec.kubeletConfiguration.imageMaximumGCAge";

describe("thresholds", () => {
  test("#177 2 and 1 are fine", () => {
    expect(thresholdFault(2, 1)).toBeUndefined();
    expect(settings({ HighThresholdPercent: 2, LowThresholdPercent: 1 }).images).toMatchObject({
      highThresholdPercent: 2,
      lowThresholdPercent: 1,
    });
  });

  test.each([
    [-1, 80, "highThresholdPercent", "invalid HighThresholdPercent -1, must be in range [0-100]"],
    [101, 80, "highThresholdPercent", "invalid HighThresholdPercent 101, must be in range [0-100]"],
    [85, -1, "lowThresholdPercent", "invalid LowThresholdPercent -1, must be in range [0-100]"],
    [85, 101, "lowThresholdPercent", "invalid LowThresholdPercent 101, must be in range [0-100]"],
  ])("#178 high %i with low %i is refused by name, value and range", (high, low, field, message) => {
    expect(thresholdFault(high, low)).toEqual({ field, message });
    const [fault] = faults({ highThresholdPercent: high, lowThresholdPercent: low });
    expect(fault).toBe(`spec.${field}: Invalid value: ${field.startsWith("high") ? high : low}: ${message}`);
  });

  test("#178 a KubeletConfiguration names its field and its flag", () => {
    expect(kubeletFaults({ imageGCHighThresholdPercent: 101, imageGCLowThresholdPercent: -1 })).toEqual([
      `${HIGH}: Invalid value: 101: imageGCHighThresholdPercent (--image-gc-high-threshold) 101 must be between 0 and 100, inclusive`,
      `${LOW}: Invalid value: -1: imageGCLowThresholdPercent (--image-gc-low-threshold) -1 must be between 0 and 100, inclusive`,
    ]);
  });

  test("#179 low above high is refused", () => {
    const message = "LowThresholdPercent 2 can not be higher than HighThresholdPercent 1";
    expect(thresholdFault(1, 2)?.message).toBe(message);
    expect(faults({ highThresholdPercent: 1, lowThresholdPercent: 2 })).toEqual([
      `spec.lowThresholdPercent: Invalid value: 2: ${message}`,
    ]);
  });

  test("#180 equal ones are fine for the manager, not in a KubeletConfiguration", () => {
    expect(thresholdFault(80, 80)).toBeUndefined();
    expect(faults({ highThresholdPercent: 80, lowThresholdPercent: 80 })).toEqual([]);
    expect(kubeletFaults({ imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 })).toEqual([
      `${LOW}: Invalid value: 80: imageGCLowThresholdPercent (--image-gc-low-threshold) 80 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 80`,
    ]);
  });

  test("a lone high below the default low is refused, as a kubelet with that file would not start", () => {
    expect(kubeletFaults({ imageGCHighThresholdPercent: 70 })[0]).toContain("80 must be less than");
  });

  test("in a policy for some nodes a lone threshold is compared with the cluster's, not with the default", () => {
    const cluster = policy({
      kubeletConfiguration: { imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 40 },
    });
    const some = (low: number) =>
      policy({ nodeSelector: {}, kubeletConfiguration: { imageGCLowThresholdPercent: low } }, "edge");
    expect(settingsOf([cluster, some(50)], {})).toMatchObject({
      faults: [],
      settings: { reportOnly: false, images: { highThresholdPercent: 60, lowThresholdPercent: 50 } },
    });
    expect(settingsOf([cluster, some(85)], {})).toMatchObject({
      faults: [{ field: "spec.lowThresholdPercent" }],
      settings: { reportOnly: true },
    });
  });

  test("in bytes, beside percents: a quantity or a number, both or none", () => {
    expect(settings({ highThresholdBytes: "80Gi", lowThresholdBytes: 1000 }).images.thresholdBytes).toEqual({
      high: 80 * 2 ** 30,
      low: 1000,
    });
    expect(faults({ highThresholdBytes: "80Gi" })).toEqual([
      "spec.lowThresholdBytes: Required value: both thresholds in bytes are needed",
    ]);
    expect(faults({ highThresholdBytes: "1Gi", lowThresholdBytes: "2Gi" })).toEqual([
      'spec.lowThresholdBytes: Invalid value: "2Gi": must not be higher than highThresholdBytes',
    ]);
    expect(faults({ highThresholdBytes: "much", lowThresholdBytes: -1 })).toHaveLength(2);
  });

  test("given twice is refused: it cannot be told which is meant", () => {
    expect(
      faults({ highThresholdPercent: 90, kubeletConfiguration: { imageGCHighThresholdPercent: 95 } }),
    ).toEqual(["spec.highThresholdPercent: Forbidden: is given in kubeletConfiguration too"]);
    expect(faults({ MinAge: "1m", minAge: "2m" })).toEqual([
      "spec.MinAge: Forbidden: is the same as minAge, which is given too",
    ]);
  });
});

describe("ages", () => {
  test.each([
    [
      { imageMaximumGCAge: "1m", imageMinimumGCAge: "2m" },
      "imageMaximumGCAge 1m0s must be greater than imageMinimumGCAge 2m0s",
    ],
    [
      { imageMaximumGCAge: "2m", imageMinimumGCAge: "2m" },
      "imageMaximumGCAge 2m0s must be greater than imageMinimumGCAge 2m0s",
    ],
    [{ imageMaximumGCAge: "-1s" }, "imageMaximumGCAge -1s must not be negative"],
    [{ imageMaximumGCAge: "2m" }, "imageMaximumGCAge 2m0s must be greater than imageMinimumGCAge 2m0s"],
  ])("#181 %j is refused", (configuration, message) => {
    const value = configuration.imageMaximumGCAge;
    expect(kubeletFaults(configuration)).toEqual([
      `${MAX}: Invalid value: ${JSON.stringify(value)}: ${message}`,
    ]);
  });

  test("#181 a maximum of 0 is off", () => {
    expect(settings({ kubeletConfiguration: { imageMaximumGCAge: "0s" } }).images.maximumAge).toBe(0);
  });

  test("a maximum needs its feature gate, which is on by default", () => {
    const featureGates = { ImageMaximumGCAge: false, Another: true };
    expect(kubeletFaults({ imageMaximumGCAge: "24h", featureGates })).toEqual([
      `${MAX}: Invalid value: "24h": ImageMaximumGCAge feature gate is required for Kubelet configuration option imageMaximumGCAge`,
    ]);
    expect(kubeletFaults({ imageMaximumGCAge: "0s", featureGates })).toEqual([]);
    expect(kubeletFaults({ featureGates: { ImageMaximumGCAge: "false" } })).toHaveLength(1);
  });

  test("#182 a negative age of containers is refused", () => {
    expect(minAgeFault(duration("-1s"))).toBe("invalid minimum garbage collection age: -1s");
    expect(faults({ MinAge: "-1s" })).toEqual([
      'spec.minAge: Invalid value: "-1s": invalid minimum garbage collection age: -1s',
    ]);
  });

  test.each([
    ["12h45m", 45_900_000],
    ["3d12h", 302_400_000],
    ["1w", 604_800_000],
    ["0s", 120_000],
    ["-1s", -1_000],
  ])("imageMinimumGCAge %s", (text, millis) => {
    expect(settings({ kubeletConfiguration: { imageMinimumGCAge: text } }).images.minimumAge).toBe(millis);
  });

  test.each([
    ["5", 'time: missing unit in duration "5"'],
    [300, "must be a duration as a string"],
  ])("%j is no duration", (value, words) => {
    expect(kubeletFaults({ imageMinimumGCAge: value })).toEqual([expect.stringContaining(words)]);
  });
});

describe("a KubeletConfiguration as people have it", () => {
  const YAML = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}}
cgroupDriver: systemd
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
rotateCertificates: true
staticPodPath: /etc/kubernetes/manifests
imageGCHighThresholdPercent: 90   # more than usual
imageGCLowThresholdPercent: 70
imageMaximumGCAge: 3d12h
evictionHard:
  memory.available: 100Mi
  imagefs.available: 20%
  nodefs.available: 1Gi
`;

  test("YAML in a string, JSON in a string and an object say the same", () => {
    const fromYaml = settings({ kubeletConfiguration: YAML });
    expect(fromYaml.images).toMatchObject({
      highThresholdPercent: 90,
      lowThresholdPercent: 70,
      maximumAge: 302_400_000,
    });
    expect(fromYaml.eviction.hard).toEqual({
      "imagefs.available": { percent: 20 },
      "nodefs.available": { amount: 2 ** 30 },
    });
    const json = { imageGCHighThresholdPercent: 90, cgroupDriver: "systemd" };
    expect(settings({ kubeletConfiguration: JSON.stringify(json) })).toEqual(
      settings({ kubeletConfiguration: json }),
    );
  });

  test("an empty one is the defaults", () => {
    for (const spec of [undefined, null, {}, { kubeletConfiguration: {} }, { kubeletConfiguration: "" }])
      expect(settingsOf([policy(spec ?? {})], {}).settings).toEqual(DEFAULT_NODE_SETTINGS);
    expect(DEFAULT_NODE_SETTINGS).toMatchObject({
      images: { highThresholdPercent: 85, lowThresholdPercent: 80, minimumAge: 120_000, maximumAge: 0 },
      containers: { minAge: 0, maxPerPodContainer: 1, maxContainers: -1 },
      eviction: { hard: { "imagefs.available": { percent: 15 } }, pressureTransitionPeriod: 300_000 },
      imagePeriod: 300_000,
      containerPeriod: 60_000,
    });
  });

  test.each([
    ["imageGCHighTresholdPercent", "imageGCHighThresholdPercent"],
    ["imagegclowthresholdpercent", "imageGCLowThresholdPercent"],
    ["imageMaxGCAge", "imageMaximumGCAge"],
    ["imageGCHighTreshold", "imageGCHighThresholdPercent"],
    ["evictonHard", "evictionHard"],
  ])("%s is refused, naming %s", (wrong, right) => {
    expect(kubeletFaults({ [wrong]: 1 })).toEqual([
      `spec.kubeletConfiguration.${wrong}: Forbidden: unknown field: KubeletConfiguration has no such field; did you mean "${right}"?`,
    ]);
  });

  test("what is far from every name is refused without a guess", () => {
    expect(kubeletFaults({ zzzzzzzzzzzz: 1 })).toEqual([
      "spec.kubeletConfiguration.zzzzzzzzzzzz: Forbidden: unknown field: KubeletConfiguration has no such field",
    ]);
  });

  test("a flag's setting in it is sent to its place", () => {
    expect(kubeletFaults({ MaxContainers: 5 })[0]).toContain(
      "maxContainers stands beside kubeletConfiguration, in spec",
    );
  });

  test.each([
    [{ apiVersion: "v1" }, "must be kubelet.config.k8s.io/v1beta1"],
    [{ kind: "Pod" }, "must be KubeletConfiguration"],
    ["a: [", "error converting YAML to JSON"],
    ["- 1", "must be a KubeletConfiguration"],
    [{ imageGCHighThresholdPercent: "90" }, "must be an integer of 32 bits"],
    [{ imageGCHighThresholdPercent: 90.5 }, "must be an integer of 32 bits"],
    [{ evictionHard: { "imagefs.avail": "5%" } }, "Unsupported value"],
    [
      { evictionHard: { "imagefs.available": "-5%" } },
      "eviction percentage threshold imagefs.available must be >= 0%: -5%",
    ],
    [{ evictionHard: { "imagefs.available": "101%" } }, "must be <= 100%: 101%"],
    [
      { evictionHard: { "nodefs.available": "-1Gi" } },
      "eviction threshold nodefs.available must be positive: -1Gi",
    ],
    [{ evictionMinimumReclaim: { "imagefs.available": "0%" } }, "must be positive: 0%"],
    [{ evictionPressureTransitionPeriod: "-1s" }, "must not be negative"],
  ])("%j: %s", (configuration, words) => {
    const found = kubeletFaults(configuration);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(words);
  });

  test("a threshold of 0% or 100% turns its signal off", () => {
    const evictionHard = { "imagefs.available": "0%", "nodefs.available": "100%" };
    expect(settings({ kubeletConfiguration: { evictionHard } }).eviction.hard).toEqual({});
  });

  test("thresholds that are named replace all defaults, unless the defaults are merged in", () => {
    const evictionHard = { "imagefs.available": "0%", "nodefs.available": "2Gi" };
    const merged = settings({ kubeletConfiguration: { evictionHard, mergeDefaultEvictionSettings: true } });
    expect(merged.eviction.hard).toEqual({
      "nodefs.available": { amount: 2 ** 31 },
      "nodefs.inodesFree": { percent: 5 },
      "imagefs.inodesFree": { percent: 5 },
    });
    expect(settings({ kubeletConfiguration: { evictionHard } }).eviction.hard).toEqual({
      "nodefs.available": { amount: 2 ** 31 },
    });
  });
});

describe("policies over each other", () => {
  const cluster = policy(
    {
      keep: ["registry.example/base/*"],
      maxPerPodContainer: 2,
      imagePeriod: "2m",
      registries: ["registry.example"],
    },
    "z-cluster",
  );
  const ssd = policy(
    {
      nodeSelector: { matchLabels: { disk: "ssd" } },
      keep: ["postgres"],
      maxPerPodContainer: 0,
      registries: null,
    },
    "a-ssd",
  );
  const second = policy(
    { nodeSelector: { matchExpressions: [{ key: "disk", operator: "Exists" }] }, maxPerPodContainer: 5 },
    "b-disk",
  );

  test("those that select come after those for all, each by name; kept images add up", () => {
    const { settings: found, policies } = settingsOf([second, ssd, cluster], { disk: "ssd" });
    expect(policies).toEqual(["z-cluster", "a-ssd", "b-disk"]);
    expect(found.containers.maxPerPodContainer).toBe(5);
    expect(found.images.keep).toEqual(["registry.example/base/*", "postgres"]);
    expect(found.images.registries).toBeUndefined();
    expect(found.imagePeriod).toBe(120_000);
  });

  test("a node without the label has only the cluster's", () => {
    const { settings: found, policies } = settingsOf([second, ssd, cluster], undefined);
    expect(policies).toEqual(["z-cluster"]);
    expect(found.images).toMatchObject({
      keep: ["registry.example/base/*"],
      registries: ["registry.example"],
    });
  });

  test("ages that are right each by itself but not together make the node report-only", () => {
    const base = policy({ kubeletConfiguration: { imageMaximumGCAge: "10m" } });
    const slow = policy({ nodeSelector: {}, kubeletConfiguration: { imageMinimumGCAge: "1h" } }, "slow");
    expect(settingsOf([base, slow], {})).toMatchObject({
      faults: [{ field: MAX }],
      settings: { reportOnly: true },
    });
  });

  test.each([
    [{ nodeSelector: { matchLabel: { a: "b" } } }, 'did you mean "matchLabels"?'],
    [{ nodeSelector: { matchLabels: { a: 1 } } }, "spec.nodeSelector.matchLabels[a]"],
    [
      { nodeSelector: { matchExpressions: [{ key: "a", operator: "in", values: ["b"] }] } },
      "not a valid selector operator",
    ],
    [{ nodeSelector: { matchExpressions: [{ key: "a", operator: "In" }] } }, "must be specified when"],
    [
      { nodeSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] } },
      "may not be specified when",
    ],
    [{ nodeSelector: { matchExpressions: [{ operator: "Exists" }] } }, "must be a label key"],
    [{ nodeSelector: "a=b" }, "must be of type object"],
    [{ keeps: [] }, 'did you mean "keep"?'],
    [{ keep: "nginx" }, "must be a list"],
    [{ keep: ["a b"] }, "spec.keep[0]"],
    [{ protect: [{ image: "nginx" }] }, "spec.protect[0].until"],
    [{ protect: [{ image: "nginx", until: "tomorrow" }] }, "parsing time"],
    [{ imagePeriod: "10ms" }, "must be between 1s and 24h"],
    [{ reportOnly: "yes" }, "must be of type boolean"],
    [{ maxContainers: 3_000_000_000 }, "must be an integer of 32 bits"],
    ["text", "must be of type object"],
  ])("%j is refused: %s", (spec, words) => {
    expect(faults(spec)).toEqual([expect.stringContaining(words)]);
  });

  test("an image is protected until a moment", () => {
    expect(
      settings({ protect: [{ image: "nginx", until: "2030-01-01T02:00:00+02:00" }] }).images.protect,
    ).toEqual([{ image: "nginx", until: Date.UTC(2030, 0, 1) }]);
  });
});
