/**
 * The types of outgoing events. src/outgoing/events/event-types.ts adds them to this type.
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: other files add the members
export interface EventTypes {}
export type EventType = keyof EventTypes;

export interface OutgoingEvent {
  readonly type: EventType;
  /** The rep whom the event is about. An endpoint receives the events about one rep in their order. */
  readonly repId?: string;
  /** The people who caused what waits for another person. They get no mail about it, and deliveries do not contain them. */
  readonly doneBy?: readonly string[];
  /** The person who opened the dispute that is decided. They get a mail about it, and deliveries do not contain them. */
  readonly openedBy?: string | null;
  /** Ids, amounts and states; no names of people, so that a person's data can be erased. */
  readonly data: Readonly<Record<string, unknown>>;
}
