/** Labels while they are written, pair by pair. */

/** `row` tells rows apart while their keys change. */
export interface LabelRow {
  readonly row: number;
  readonly name: string;
  readonly value: string;
}

let lastRow = 0;

export const newLabelRow = (name = '', value = ''): LabelRow => ({ row: ++lastRow, name, value });

export function labelRows(labels: Readonly<Record<string, string>>): readonly LabelRow[] {
  return Object.entries(labels).map(([name, value]) => newLabelRow(name, value));
}

/** Rows without a key are left out; of two with the same key the last counts. */
export function labelsOfRows(rows: readonly LabelRow[]): Record<string, string> {
  return Object.fromEntries(rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]));
}
