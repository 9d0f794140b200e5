/** Cookies: read from the few requests that carry one, and set by the few answers that do. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply } from 'fastify';

export interface CookieOptions {
  readonly path: string;
  readonly httpOnly: boolean;
  readonly sameSite: 'lax';
  readonly secure: boolean;
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  return header === undefined ? undefined : parseCookie(header)[name];
}

export function setCookie(reply: FastifyReply, name: string, value: string, options: CookieOptions & { readonly maxAge: number }): void {
  reply.header('set-cookie', stringifySetCookie({ name, value, ...options }));
}

export function clearCookie(reply: FastifyReply, name: string, options: CookieOptions): void {
  reply.header('set-cookie', stringifySetCookie({ name, value: '', ...options, expires: new Date(0), maxAge: 0 }));
}
