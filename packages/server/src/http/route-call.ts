/** What a handler sees of a request, for a route whose particulars do not matter. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limitOf } from '../auth/access.ts';
import type { Actor, Caller } from '../auth/callers.ts';
import type { Transactable } from '../db/database.ts';
import { actorOf } from './actors.ts';
import type { Params } from './params.ts';
import type { Upload } from './upload.ts';

/** What was sent, as the contract has it. */
export interface Checked {
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * What only some handlers need is made when it is asked for: by getters of the class. A getter in a literal would be a shape of its own for
 * each request, and shapes are collected late, with all that they refer to.
 */
export class RouteCall {
  readonly params: Params;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller | undefined;
  readonly nowMs: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly db: Transactable;
  prepared: unknown;
  upload: Upload | undefined;
  incoming: AsyncIterable<Buffer> | undefined;
  /** Of its answer, where the handler has decided on another than the declared one. */
  status: number | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, { query, body }: Checked, nowMs: number, db: Transactable) {
    this.params = request.params as Params;
    this.query = query;
    this.body = body;
    this.caller = request.identity?.caller;
    this.nowMs = nowMs;
    this.request = request;
    this.reply = reply;
    this.db = db;
    this.prepared = undefined;
    this.upload = undefined;
    this.incoming = undefined;
    this.status = undefined;
  }

  get by(): Actor | undefined {
    return this.caller && actorOf(this.caller, this.request);
  }

  get agentIds(): readonly string[] | undefined {
    const limit = limitOf(this.caller);
    return limit && [...limit];
  }

  get parts(): readonly string[] {
    return this.request.readableParts ?? [];
  }

  get answerWith(): (status: number) => void {
    return (status) => {
      this.status = status;
    };
  }

  /** The same inside a transaction. */
  inside(tx: Transactable): RouteCall {
    const call = new RouteCall(this.request, this.reply, this, this.nowMs, tx);
    call.prepared = this.prepared;
    call.upload = this.upload;
    return call;
  }
}
