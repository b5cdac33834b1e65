/**
 * What a message holds: by API version and message name, its fields by number, each as `name type`.
 *
 * A type is a scalar (`string`, `int32`, `int64`, `bool`, `double`, `bytes`), one of the messages that JSON shows as a
 * plain value (see `value-messages.ts`), or another message, of the same API version unless it names one
 * (`v1.PodTemplateSpec`). In front of it, `[]` makes a list and `map ` a map from strings.
 *
 * - `int32!`: the field stays when it is empty. On the wire everything that is no pointer is always there; so an empty
 *   value counts where Go has a pointer, and where JSON always shows the field. Elsewhere it means "not given".
 * - `...VolumeSource`: its fields are those of the message around it (Go's `json:",inline"`).
 * - `= string`: the value stands for the whole message; of several that are there, the last one.
 */
export type MessageTable = Readonly<Record<string, MessagesOfVersion>>;

type MessagesOfVersion = Readonly<Record<string, Readonly<Record<number, string>>>>;
