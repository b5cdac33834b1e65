import { DEFAULT, fromNow, HOUR, type Scene } from "../scene.ts";

export const ttl: Scene = {
  sweep: "ttl",
  async lay(stage) {
    const put = (name: string, annotations: object, labels: object = {}) =>
      stage.put(`${DEFAULT}/configmaps`, name, { metadata: { annotations, labels } });
    const going = [
      await put("own", { "gc.kubegc.dev/ttl": "1s" }),
      await put("own-date", { "gc.kubegc.dev/expires": fromNow(1000) }),
      await put("janitor", { "janitor/ttl": "1s" }),
      await put("janitor-date", { "janitor/expires": fromNow(-HOUR) }),
      await put("twin", { "k8s-ttl-controller.twin.sh/ttl": "1s" }),
      await put("kyverno", {}, { "cleanup.kyverno.io/ttl": "1s" }),
    ];
    const refreshed = { "k8s-ttl-controller.twin.sh/refreshed-at": fromNow(0) };
    return {
      going: Object.fromEntries(going.map((path) => [path, "ttl"])),
      staying: [
        await put("plain", {}),
        await put("later", { "gc.kubegc.dev/ttl": "1h" }),
        await put("refreshed", { "k8s-ttl-controller.twin.sh/ttl": "1h", ...refreshed }),
        await put("unreadable", { "gc.kubegc.dev/ttl": "soon" }),
      ],
    };
  },
};
