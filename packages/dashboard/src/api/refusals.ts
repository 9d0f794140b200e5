/** Reading what the service refused. */
import { APIError } from '@commonplace/client';

/** What is wrong with each field, by its name, for forms. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof APIError)) return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path, message]));
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof APIError && error.status === status;
}
