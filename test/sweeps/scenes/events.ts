import { DEFAULT, fromNow, HOUR, type Scene } from "../scene.ts";

const event = (name: string, lastTimestamp: string) => ({
  involvedObject: { kind: "Pod", namespace: "default", name },
  reason: "Test",
  type: "Normal",
  firstTimestamp: fromNow(-HOUR),
  lastTimestamp,
});

export const events: Scene = {
  sweep: "events",
  settings: { eventTTL: "2s" },
  async lay(stage) {
    const put = (name: string, last: string) => stage.put(`${DEFAULT}/events`, name, event(name, last));
    const [old, older] = [await put("a", fromNow(0)), await put("b", fromNow(-HOUR))];
    return {
      going: { [old]: "event-ttl", [older]: "event-ttl" },
      staying: [await put("c", fromNow(HOUR))],
    };
  },
};
