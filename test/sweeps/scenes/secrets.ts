import { DEFAULT, fromNow, HOUR, type Scene, SYSTEM } from "../scene.ts";

const token = (expiration: string | undefined) => ({
  type: "bootstrap.kubernetes.io/token",
  stringData: { "token-id": "abcdef", ...(expiration === undefined ? {} : { expiration }) },
});

export const secrets: Scene = {
  sweep: "secrets",
  async lay(stage) {
    const put = (name: string, expiration?: string) =>
      stage.put(`${SYSTEM}/secrets`, `bootstrap-token-${name}`, token(expiration));
    const expired = await put("aaaaaa", fromNow(-HOUR));
    const soon = await put("bbbbbb", fromNow(1500));
    const unreadable = await put("cccccc", "tomorrow");
    return {
      going: {
        [expired]: "bootstrap-token-expired",
        [soon]: "bootstrap-token-expired",
        [unreadable]: "bootstrap-token-expired",
      },
      staying: [
        await put("dddddd", fromNow(HOUR)),
        await put("eeeeee"),
        await stage.put(`${DEFAULT}/secrets`, "bootstrap-token-ffffff", token(fromNow(-HOUR))),
        await stage.put(`${SYSTEM}/secrets`, "opaque", { stringData: { expiration: fromNow(-HOUR) } }),
      ],
    };
  },
};
