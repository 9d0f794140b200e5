/** Ids of messages begin with their time in milliseconds, and messages are listed in the order of their ids. */

const TIME_DIGITS = 12;

export function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, TIME_DIGITS), 16);
}

export function isMessageId(id: string): boolean {
  return /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/.test(id);
}
