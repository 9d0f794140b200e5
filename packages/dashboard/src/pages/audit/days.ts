/** Days of the reader's own clock, as moments that the API takes. */

/** The first moment of a day. */
export const startOfDay = (day: string): string => new Date(`${day}T00:00:00`).toISOString();

/** The first moment after a day: `until` leaves out its own moment. */
export function endOfDay(day: string): string {
  const after = new Date(`${day}T00:00:00`);
  after.setDate(after.getDate() + 1);
  return after.toISOString();
}
