/** Form uploads, read as they arrive: no more of a file is read than is allowed. */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { z } from 'zod';
import { AppError, invalid } from '../errors.ts';
import { inputSchema, longestFieldBytes } from './body-limits.ts';
import { labelOf } from './validation.ts';

const MOST_FIELDS = 20;

export interface UploadDeclaration {
  /** The name of the form's file. */
  readonly file: string;
  readonly largestBytes: number;
  /** The other fields of the form: texts, each with a most. */
  readonly fields: Readonly<Record<string, z.ZodType<string>>>;
  /** Those of them that must be there, for the documentation. */
  readonly required: readonly string[];
}

export interface Upload {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: { readonly filename: string; readonly bytes: Buffer; readonly isTooLarge: boolean } | undefined;
}

/** The part of the server for routes that take a form: the plugin has hooks on every request that it is told of. */
export interface UploadServer {
  readonly uploads: FastifyInstance;
}

export async function acceptUploads(server: FastifyInstance): Promise<UploadServer> {
  let uploads = server;
  await server.register(async (inner) => {
    await inner.register(multipart, { throwFileSizeLimit: false });
    uploads = inner;
  });
  // Inside an object: the server by itself has a `then`, and would be waited for.
  return { uploads };
}

/** Before any of the body is read. */
export const requireForm: preParsingHookHandler = (request, _reply, payload, done) => {
  if (/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) done(null, payload);
  else done(new AppError('unsupported_media_type', 'Content-Type must be multipart/form-data'));
};

export async function readUpload(request: FastifyRequest, declaration: UploadDeclaration): Promise<Upload> {
  const fields = new Map<string, string[]>();
  let file: Upload['file'];
  const fieldSize = Math.max(...Object.values(declaration.fields).map(longestFieldBytes));
  const limits = { files: 1, fields: MOST_FIELDS, fieldSize, parts: MOST_FIELDS + 1, fileSize: declaration.largestBytes + 1 };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        const received = await readFile(part.file, declaration.largestBytes);
        if (part.fieldname === declaration.file) file = { filename: part.filename, ...received };
        // Nothing that follows could make it good.
        if (received.isTooLarge) break;
      } else {
        if (part.valueTruncated) throw tooLong(part.fieldname, declaration);
        fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), String(part.value)]);
      }
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', messageOf(error), { cause: error });
  }
  return { fields, file };
}

/** What @fastify/multipart refuses a form for, by its code. */
const refusals = new Map<unknown, string>([
  ['FST_PROTO_VIOLATION', 'The form must not have a field that is named like a property of every object, such as __proto__ or constructor'],
  ['FST_FILES_LIMIT', 'The form must not have more than one file'],
  ['FST_FIELDS_LIMIT', `The form must not have more than ${MOST_FIELDS} fields and one file`],
  ['FST_PARTS_LIMIT', `The form must not have more than ${MOST_FIELDS} fields and one file`],
  ['FST_INVALID_JSON_FIELD_ERROR', 'The form has a field that is sent as application/json and is not valid JSON'],
]);

function messageOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return refusals.get(code) ?? 'The form is not valid multipart/form-data';
}

function tooLong(name: string, { fields }: UploadDeclaration): AppError {
  const field = fields[name];
  const rule = field ? `must not exceed ${inputSchema(field).maxLength} characters` : 'is too long';
  return invalid(name, `${labelOf([name])} ${rule}`);
}

async function readFile(stream: AsyncIterable<Buffer>, largestBytes: number): Promise<{ bytes: Buffer; isTooLarge: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > largestBytes) return { bytes: Buffer.alloc(0), isTooLarge: true };
    pieces.push(piece);
  }
  return { bytes: Buffer.concat(pieces), isTooLarge: false };
}
