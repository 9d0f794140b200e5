import type { APIPromise } from '../api-promise.ts';
import type { RequestOptions } from '../transport.ts';
import type { AuthStatus, Login, PasswordChange, Registration, Setup, SignedIn } from '../types.ts';
import { Resource } from './resource.ts';

/** An answer that carries a secret is given once, and a password is proven once: nothing here is sent again by itself. */
const onceOnly = (options: RequestOptions | undefined): RequestOptions => ({ maxRetries: 0, ...options });

/** Signing in on a page of the service, by cookie. Programs use keys. */
export class Auth extends Resource {
  /** Whether there is an account yet, and who may make one. */
  status(options?: RequestOptions): APIPromise<AuthStatus> {
    return this.request('GET', '/auth/status', {}, options);
  }

  /** The first account. */
  setUp(body: Setup, options?: RequestOptions): APIPromise<SignedIn> {
    return this.request('POST', '/auth/setup', { body }, onceOnly(options));
  }

  register(body: Registration, options?: RequestOptions): APIPromise<SignedIn> {
    return this.request('POST', '/auth/register', { body }, onceOnly(options));
  }

  logIn(body: Login, options?: RequestOptions): APIPromise<SignedIn> {
    return this.request('POST', '/auth/login', { body }, onceOnly(options));
  }

  logOut(options?: RequestOptions): APIPromise<void> {
    return this.request('POST', '/auth/logout', {}, options);
  }

  changePassword(body: PasswordChange, options?: RequestOptions): APIPromise<void> {
    return this.request('PUT', '/auth/password', { body }, onceOnly(options));
  }
}
