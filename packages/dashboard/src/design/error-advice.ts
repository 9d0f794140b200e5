/** What a person can do about a failure, beyond what the service said. */
import { APIConnectionError, APIError } from '@commonplace/client';

const byStatus: Readonly<Record<number, string>> = {
  401: 'Sign in again.',
  403: 'An owner or admin of the workspace can do this, or give you the role that can.',
  404: 'It may have been deleted, or belong to another workspace.',
  409: 'Change what it conflicts with, or open what exists.',
  413: 'Make it smaller and try again.',
  429: 'You sent much in a short time. Wait a moment and try again.',
  500: 'This is a fault of the service. The request id finds it in the log.',
  503: 'The service is busy or starting. Try again in a moment.',
};

export function adviceFor(error: unknown): string {
  if (error instanceof APIConnectionError) return 'Check that the service runs and that you are online.';
  if (!(error instanceof APIError)) return '';
  return byStatus[error.status ?? 0] ?? '';
}
