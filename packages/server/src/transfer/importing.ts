/** JSON Lines into a workspace. What can't be taken is named by its line, and what belongs together comes in as one. */
import { createHash } from 'node:crypto';
import {
  type AgentLine,
  type EndLine,
  type ExportCounts,
  type ExportedKind,
  ExportFooter,
  ExportHeader,
  exportedKinds,
  type ImportError,
  type ImportMode,
  type ImportResult,
  LARGEST_LINE_BYTES,
  type LineType,
  lineSchemas,
  MOST_IMPORT_ERRORS,
} from '@commonplace/contract/transfer';
import type { Context } from '../context.ts';
import { ReferenceViolation, UniqueViolation } from '../db/errors.ts';
import { AppError } from '../errors.ts';
import { validate } from '../http/validation.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import { importAgent } from './groups.ts';
import { ImportedIds } from './ids.ts';
import { ImportScope } from './import-scope.ts';
import { type Line, parseLine, readLines, type TypedLine } from './lines.ts';
import { countedChildren, groupOf, newGroup, type OpenGroup, type ParentType, parents, tables } from './open-group.ts';
import { findWorkspace } from './store/reading.ts';

export class Import {
  readonly #context: Context;
  readonly #workspaceId: string;
  readonly #mode: ImportMode;
  readonly #counts = Object.fromEntries(exportedKinds.map((kind) => [kind, 0])) as ExportCounts;
  readonly #errors: ImportError[] = [];
  readonly #digest = createHash('sha256');
  readonly #stopped = new AbortController();
  #skipped = 0;
  #scope: ImportScope | undefined;
  #open: OpenGroup | undefined;
  #isDigestKnown = true;
  #isEnded = false;
  #lines = 0;

  constructor(context: Context, workspaceId: string, mode: ImportMode) {
    this.#context = context;
    this.#workspaceId = workspaceId;
    this.#mode = mode;
  }

  get result(): ImportResult {
    return { counts: this.#counts, skipped: this.#skipped, errors: this.#errors };
  }

  async run(incoming: AsyncIterable<Buffer>): Promise<ImportResult> {
    try {
      for await (const line of readLines(incoming)) await this.#take(line);
      if (this.#scope === undefined) throw notAnExport();
      if (!this.#isEnded) {
        await this.#abandonOpen();
        this.#report(this.#lines + 1, 'The stream ends without its footer. What was complete is brought in; send it again for the rest');
      }
      return this.result;
    } finally {
      this.#stopped.abort();
      await this.#open?.group?.leave();
    }
  }

  async #take(line: Line): Promise<void> {
    this.#lines = line.number;
    const { bytes } = line;
    // What is decoded and checked for milliseconds has a turn of the event loop for itself.
    if (bytes !== undefined && bytes.length > LARGE_BYTES) await largeWork.take();
    const typed = this.#read(line);
    if (typed?.type !== 'footer' && !this.#isEnded) this.#digestLine(bytes);
    if (this.#scope === undefined) {
      if (bytes?.length === 0) return;
      this.#scope = await this.#begin(typed);
    } else if (typed !== undefined) await this.#carryOut(this.#scope, line.number, typed);
  }

  #digestLine(bytes: Buffer | undefined): void {
    if (bytes === undefined) this.#isDigestKnown = false;
    else this.#digest.update(bytes).update('\n');
  }

  /** Undefined where it is empty, or could not be read. */
  #read({ number, bytes }: Line): TypedLine | undefined {
    if (bytes?.length === 0) return undefined;
    try {
      if (bytes === undefined) throw new AppError('bad_request', `The line must not exceed ${LARGEST_LINE_BYTES / 1_000_000} MB`);
      const typed = parseLine(bytes);
      if (!Object.hasOwn(lineSchemas, typed.type) && typed.type !== 'header' && typed.type !== 'footer')
        throw new AppError('bad_request', `The type “${typed.type.slice(0, 50)}” is not known`);
      return typed;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (this.#scope === undefined) return undefined;
      if (this.#open) this.#open.isDoubtful = true;
      this.#report(number, error.message);
      return undefined;
    }
  }

  async #begin(typed: TypedLine | undefined): Promise<ImportScope> {
    if (typed?.type !== 'header') throw notAnExport();
    const { workspace } = validate(ExportHeader, typed);
    // Where they came from is here, and has its ids still.
    const isElsewhereHere = workspace.id !== this.#workspaceId && (await findWorkspace(this.#context.db, workspace.id)) !== undefined;
    const isFoundByOwn = this.#mode === 'keep-ids';
    const ids = new ImportedIds(this.#workspaceId, { areNew: !isFoundByOwn || isElsewhereHere, isFoundByOwn });
    return new ImportScope(this.#context, this.#workspaceId, ids, this.#stopped.signal);
  }

  async #carryOut(scope: ImportScope, number: number, typed: TypedLine): Promise<void> {
    if (this.#isEnded) this.#report(number, 'Nothing may stand behind the footer');
    else if (typed.type === 'header') this.#report(number, 'There must be one header alone');
    else if (typed.type === 'footer') await this.#end(number, typed);
    else await this.#carryOutLine(scope, number, typed.type as LineType, typed.data);
  }

  async #carryOutLine(scope: ImportScope, number: number, type: LineType, sent: unknown): Promise<void> {
    const isParent = type in tables;
    if (isParent) await this.#close();
    let data: object;
    try {
      data = validate(lineSchemas[type], sent);
      scope.requirePast(data);
    } catch (error) {
      return this.#refuse(number, type, error);
    }
    if (isParent) return this.#openGroup(scope, number, type as ParentType, data);
    return type === 'end' ? this.#endGroup(number, data as EndLine) : this.#add(number, type, data);
  }

  /** A resource that is not valid takes all that belongs to it along; so does what belongs to one and is not valid. */
  async #refuse(number: number, type: LineType, error: unknown): Promise<void> {
    if (type in tables) this.#open = newGroup(type as ParentType, '', number, { isFailed: true });
    else if (this.#open?.group) return this.#fail(number, error);
    else if (this.#open?.isFailed) return;
    this.#report(number, messageOf(error));
  }

  async #openGroup(scope: ImportScope, number: number, type: ParentType, data: object): Promise<void> {
    const { id } = data as { id: string };
    const open = newGroup(type, id, number, {});
    this.#open = open;
    try {
      if ((await scope.find(tables[type], id)) !== undefined) {
        this.#skipped++;
      } else if (type === 'agent') {
        await importAgent(scope, data as AgentLine);
        this.#counts.agents++;
      } else {
        open.group = await groupOf(scope, type, data);
      }
    } catch (error) {
      await this.#fail(number, error);
    }
  }

  async #add(number: number, type: LineType, data: object): Promise<void> {
    const [parentType, key] = parents[type] as readonly [ParentType, string];
    const open = this.#open;
    // The one error of its group says it.
    if (open?.isFailed && open.type === parentType) return;
    if (open?.type !== parentType || (data as Record<string, unknown>)[key] !== open.id) {
      this.#report(number, `It must stand right behind the ${parentType} that it belongs to`);
      return;
    }
    open.lines++;
    const kind = countedChildren[type];
    if (kind) open.counts[kind] = (open.counts[kind] ?? 0) + 1;
    if (open.group === undefined) {
      if (kind) this.#skipped++;
      return;
    }
    try {
      await open.group.add(type, data);
    } catch (error) {
      await this.#fail(number, error);
    }
  }

  async #endGroup(number: number, { of, id, lines, deleted }: EndLine): Promise<void> {
    const open = this.#open;
    if (open?.isFailed && open.type === of) return;
    if (open?.type !== of || open.id !== id) {
      this.#report(number, 'It must stand behind all that belongs to what it ends');
    } else if (deleted) await this.#abandonOpen();
    else if (open.group && open.lines !== lines)
      await this.#fail(
        number,
        new AppError('bad_request', `There are ${open.lines} lines that belong to the ${of}, and should be ${lines}`),
      );
    else {
      open.isDoubtful = false;
      await this.#close();
    }
  }

  /** All that belongs to it was read. */
  async #close(): Promise<void> {
    const open = this.#open;
    if (open?.group === undefined) {
      this.#open = undefined;
      return;
    }
    if (open.isDoubtful) return this.#fail(open.line, new AppError('bad_request', 'A line behind it could not be read'), true);
    try {
      await open.group.finish();
      this.#counts[tables[open.type]]++;
      for (const [kind, count] of Object.entries(open.counts)) this.#counts[kind as ExportedKind] += count;
      this.#open = undefined;
    } catch (error) {
      await this.#fail(open.line, error, true);
    }
  }

  async #end(number: number, typed: TypedLine): Promise<void> {
    await this.#close();
    this.#isEnded = true;
    try {
      const { checksum } = validate(ExportFooter, typed);
      const found = `sha256:${this.#digest.digest('hex')}`;
      if (this.#isDigestKnown && checksum !== found) throw new AppError('bad_request', 'The checksum is not that of the lines before it');
    } catch (error) {
      this.#report(number, messageOf(error));
    }
  }

  /** Nothing of the group stays, and the rest of it is passed over. */
  async #fail(number: number, error: unknown, isClosed = false): Promise<void> {
    const open = this.#open as OpenGroup;
    const message = messageOf(error);
    const { group } = open;
    open.group = undefined;
    open.isFailed = true;
    if (isClosed) this.#open = undefined;
    await group?.abandon();
    this.#report(number, message);
  }

  async #abandonOpen(): Promise<void> {
    const group = this.#open?.group;
    this.#open = undefined;
    await group?.abandon();
  }

  #report(line: number, message: string): void {
    if (this.#errors.length < MOST_IMPORT_ERRORS) this.#errors.push({ line, message });
  }
}

function notAnExport(): AppError {
  return new AppError('bad_request', 'The first line must be the header of an export of version 1');
}

/** Of what is wrong with a line; what is wrong with the service ends the import. */
function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  if (error instanceof UniqueViolation || error instanceof ReferenceViolation) return 'In conflict with another request. Send it again';
  throw error;
}
