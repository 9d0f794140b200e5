/** Whether a caller whose answer goes on would be let in again, and be shown the same. */
import type { FastifyRequest } from 'fastify';
import { readableParts, requireAccess } from '../auth/access.ts';
import { type Callers, COOKIE_NAME } from '../auth/callers.ts';
import { AppError } from '../errors.ts';
import { readCookie } from './cookies.ts';
import type { Params } from './params.ts';
import type { DeclaredRoute } from './route.ts';

/** Takes nothing of the caller's rate. */
export async function isStillAdmitted({ access }: DeclaredRoute, request: FastifyRequest, callers: Callers): Promise<boolean> {
  const params = request.params as Params;
  try {
    const identity = await callers.identify(request.headers, readCookie(request.headers.cookie, COOKIE_NAME));
    const { caller } = identity;
    const { workspaceId } = params;
    const role =
      caller.type === 'user' && workspaceId !== undefined ? await callers.roleOf(identity, caller.userId, workspaceId) : undefined;
    requireAccess(access, caller, params, role);
    return String(readableParts(access, caller, role)) === String(request.readableParts ?? []);
  } catch (error) {
    if (error instanceof AppError && ['unauthenticated', 'not_found', 'forbidden'].includes(error.code)) return false;
    throw error;
  }
}
