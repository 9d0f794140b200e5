/** Who sent a request: for the audit log, and for what is kept for each sender. */
import type { FastifyRequest } from 'fastify';
import type { Actor, Caller } from '../auth/callers.ts';

export function actorOf(caller: Caller, request: FastifyRequest): Actor {
  return {
    type: caller.type,
    id: caller.type === 'user' ? caller.userId : caller.credentialId,
    name: caller.name,
    address: request.ip,
    requestId: request.id,
  };
}

export function scopeOf(caller: Caller | undefined, request: FastifyRequest): string {
  if (!caller) return `address:${request.ip}`;
  return caller.type === 'user' ? `user:${caller.userId}` : `key:${caller.credentialId}`;
}
