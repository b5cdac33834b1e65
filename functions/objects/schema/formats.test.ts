import { describe, expect, test } from "vitest";
import { isKnownFormat, isOfFormat } from "./formats.ts";

describe("formats of strings", () => {
  test.each<[string, string[], string[]]>([
    ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f1f77", ""]],
    ["byte", ["aGVsbG8=", "YQ=="], ["aGVsbG8", "", "*"]],
    ["cidr", ["10.0.0.0/8", "fd00::/64"], ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "x/8"]],
    ["creditcard", ["4111 1111 1111 1111"], ["4111 1111 1111 1112", "1"]],
    ["date", ["2024-02-29"], ["2023-02-29", "2024-2-9", "2024-02-29T00:00:00Z"]],
    [
      "date-time",
      ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123+02:00"],
      ["2024-02-29", "2024-02-29T25:00:00Z", "now"],
    ],
    ["duration", ["1h30m", "22 ns", "2 days", "1.5s"], ["soon", "5", "5 parsecs"]],
    ["email", ["a@b.c", "A <a@b.c>"], ["a", "a@", "a b@c"]],
    ["hexcolor", ["#FFF", "a0b1c2"], ["#FF", "red"]],
    ["hostname", ["localhost", "a.example.com", "1.example.com"], ["-a.example.com", "a..b", "a_b.c", ""]],
    ["ipv4", ["10.0.0.1"], ["10.0.0", "10.0.0.256", "10.0.0.01", "::1"]],
    ["ipv6", ["::1", "fd00::1:2", "::ffff:10.0.0.1"], ["10.0.0.1", ":::", "g::", "::1/64", "::1]:80/["]],
    ["isbn", ["0321751043", "978-0321751041"], ["0321751042", "9780321751042"]],
    ["k8s-short-name", ["my-name"], ["My", "a.b"]],
    ["k8s-long-name", ["a.b"], ["a..b"]],
    ["mac", ["00:00:5e:00:53:01", "0000.5e00.5301"], ["00:00:5e", "00-00:5e:00:53:01", ""]],
    ["password", ["", "x"], []],
    ["rgbcolor", ["rgb(1, 2, 255)"], ["rgb(1,2,256)"]],
    ["ssn", ["111-22-3333"], ["111-22-333"]],
    ["uri", ["https://example.com/a?b=c", "/a/b", "mailto:a@b.c"], ["a/b", "%zz", "", "http://a b/"]],
    ["uuid", ["3FA85F64-5717-4562-b3fc-2c963f66afa6", "3fa85f6457174562b3fc2c963f66afa6"], ["3fa85f64"]],
    ["uuid4", ["3fa85f64-5717-4562-b3fc-2c963f66afa6"], ["3fa85f64-5717-3562-b3fc-2c963f66afa6"]],
  ])("%s", (format, right, wrong) => {
    expect(isKnownFormat(format)).toBe(true);
    for (const text of right) expect([text, isOfFormat(format, text)]).toEqual([text, true]);
    for (const text of wrong) expect([text, isOfFormat(format, text)]).toEqual([text, false]);
  });

  test.each(["int32", "int64", "double", "anything", "toString"])("%s is not checked", (format) => {
    expect(isKnownFormat(format)).toBe(false);
  });
});
