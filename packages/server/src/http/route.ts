/** What a slice says of a route: path, who may call, what goes in and out. Everything else follows from it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Access } from '../auth/access.ts';
import type { Actor, Caller, UserCaller } from '../auth/callers.ts';
import type { Transactable } from '../db/database.ts';
import type { Amounts } from '../quotas/rules.ts';
import type { EventStream } from './event-streams.ts';
import type { Made } from './idempotency.ts';
import type { StreamDeclaration } from './incoming-streams.ts';
import type { Upload, UploadDeclaration } from './upload.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type CallerOf<A extends Access> = A['who'] extends 'user' ? UserCaller : A['who'] extends 'public' ? undefined : Caller;
type ActorOf<A extends Access> = A['who'] extends 'public' ? undefined : Actor;
type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A request as its handler sees it: checked, and with nothing more than it needs. */
export interface Call<Path extends string, A extends Access, Query, Body, Prepared> {
  readonly params: { readonly [name in ParamNames<Path>]: string };
  readonly query: OutputOf<Query>;
  readonly body: OutputOf<Body>;
  /** The form that was sent, where the route declares one. */
  readonly upload: Upload;
  /** The body as it arrives, where the route declares a stream. */
  readonly incoming: AsyncIterable<Buffer>;
  readonly caller: CallerOf<A>;
  /** The caller for the audit log. */
  readonly by: ActorOf<A>;
  /** The agents that the caller is limited to; undefined for all. A route with an agent in its path need not look. */
  readonly agentIds: readonly string[] | undefined;
  /** Those of `access.parts` that the caller may read. */
  readonly parts: readonly (keyof NonNullable<A['parts']> & string)[];
  /** Inside one transaction already where the request carries an Idempotency-Key. */
  readonly db: Transactable;
  readonly nowMs: number;
  readonly prepared: Prepared;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Answers with another status of success than the declared one, of those in `answers.also`. */
  answerWith(status: number): void;
}

export interface Route<Path extends string, A extends Access, Query, Body, Answer, Prepared> {
  readonly method: Method;
  /** Below `/api/v1`. A parameter whose name ends in `Id` is a UUID: anything else there is not found. */
  readonly path: Path;
  /** The operation's name in the documentation and in generated clients. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  readonly query?: Query;
  readonly body?: Body;
  /** What a path parameter names, for “… not found”, where its name does not say it: `userId` of a member. */
  readonly resources?: { readonly [name in ParamNames<Path>]?: string };
  /** A form with a file in place of a JSON body. */
  readonly upload?: UploadDeclaration;
  /** A body of any size in place of a JSON body, read by the handler as it arrives. It is no matter for an Idempotency-Key. */
  readonly receives?: StreamDeclaration;
  /** The status of success and its body; no body is 204. */
  readonly answers: Answer extends z.ZodType
    ? { readonly status: number; readonly body: Answer; readonly also?: readonly number[] }
    : { readonly status: 204 };
  /** Failures beyond those that every route of its kind has, for the documentation. */
  readonly fails?: readonly number[];
  /**
   * What it adds to what its workspace stores, of which there may be a quota. 'text': what is sent, as bytes. A function: that, and what it
   * says beside it; what is replaced counts below zero. It is asked where there is a limit alone. Every POST and PUT says it.
   */
  readonly stores?:
    | 'nothing'
    | 'text'
    | ((call: Omit<Call<Path, A, Query, Body, undefined>, 'prepared' | 'answerWith'>) => Amounts | Promise<Amounts>);
  /** A POST that only reads, such as a search: an Idempotency-Key has nothing to keep there. */
  readonly changesNothing?: true;
  /** Searches: how often and how long are counted for the workspace. */
  readonly isSearch?: true;
  /** Says how the service is: never limited and never waiting, whoever floods it. */
  readonly isHealth?: true;
  /** A read that takes milliseconds of a processor, and so more of its caller's rate. Searches, uploads and passwords do anyway. */
  readonly isExpensive?: true;
  /** For an answer that carries a secret: what was made. Such an answer is never kept. */
  readonly made?: (answer: OutputOf<Answer>) => Made;
  /** For an answer that is about a session which the path does not name: that one's id. What is kept of the answer goes with the session. */
  readonly tellsOfSession?: (answer: OutputOf<Answer>) => string;
  /** Done again, it does nothing more and answers as well, in steps of its own: an Idempotency-Key is not needed, and has no effect. */
  readonly isRepeatable?: true;
  /** Slow work that must not hold a transaction, such as hashing a password. */
  readonly prepare?: (call: Omit<Call<Path, A, Query, Body, undefined>, 'db' | 'prepared' | 'upload' | 'answerWith'>) => Promise<Prepared>;
  readonly handle: (call: Call<Path, A, Query, Body, Prepared>) => Promise<Answer extends z.ZodType ? z.input<Answer> : void>;
  /** For whoever accepts `text/event-stream`: what begins to be sent once the stream is open. Refusals come before. */
  readonly stream?: (call: Call<Path, A, Query, Body, Prepared>) => Promise<(stream: EventStream) => void>;
}

/** A stored file as the answer: `answers: { status: 200, body: StoredFile }`. */
export const StoredFile = z.custom<FileAnswer>();

export interface FileAnswer {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly filename: string;
  /** Changes with the bytes. */
  readonly tag: string;
}

/** JSON Lines that are written as they are made: `answers: { status: 200, body: StreamedLines }`. */
export const StreamedLines = z.custom<LinesAnswer>();

export interface LinesAnswer {
  readonly filename: string;
  /** Whole lines, any number in each piece. Where it throws, the connection ends before the answer does. */
  readonly pieces: AsyncIterable<string>;
}

/** Whether an answer is JSON, by a schema. */
export function isJsonAnswer(body: z.ZodType | undefined): body is z.ZodType {
  return body !== undefined && body !== StoredFile && body !== StreamedLines;
}

/** A route whose particulars no longer matter to the type checker. */
export interface DeclaredRoute {
  readonly method: Method;
  readonly path: string;
  /** The operation's name in the documentation and in generated clients. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly resources?: Readonly<Record<string, string>>;
  readonly upload?: UploadDeclaration;
  readonly receives?: StreamDeclaration;
  /** The largest body that is read, by what the schema allows. */
  readonly bodyLimitBytes: number;
  readonly answers: { readonly status: number; readonly body?: z.ZodType; readonly also?: readonly number[] };
  readonly fails?: readonly number[];
  readonly stores?: 'nothing' | 'text' | ((call: unknown) => Amounts | Promise<Amounts>);
  readonly changesNothing?: true;
  readonly isSearch?: true;
  readonly isHealth?: true;
  readonly isExpensive?: true;
  readonly made?: (answer: unknown) => Made;
  readonly tellsOfSession?: (answer: unknown) => string;
  readonly isRepeatable?: true;
  readonly prepare?: (call: unknown) => Promise<unknown>;
  readonly handle: (call: unknown) => Promise<unknown>;
  readonly stream?: (call: unknown) => Promise<(stream: EventStream) => void>;
}

export function paramNamesOf(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
}

/** Whether it changes something, so that a request that is sent again must not do it again. */
export function takesIdempotencyKey(route: Pick<DeclaredRoute, 'method' | 'changesNothing' | 'isRepeatable' | 'receives'>): boolean {
  return route.method !== 'GET' && !route.changesNothing && !route.isRepeatable && !route.receives;
}

/** Whether it can make a workspace hold more, so that it has to say what. */
export function mayStore({ method, changesNothing }: Pick<DeclaredRoute, 'method' | 'changesNothing'>): boolean {
  return (method === 'POST' || method === 'PUT') && !changesNothing;
}

/** What a path parameter names, for “… not found”: `promptVersionId` is a prompt version. */
export function resourceOf({ resources }: Pick<DeclaredRoute, 'resources'>, paramName: string): string {
  const words = paramName
    .replace(/Id$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return resources?.[paramName] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
