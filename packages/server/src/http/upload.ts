/** Form uploads, read as they arrive: no more of a file is held than is allowed. */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const MOST_FIELDS = 20;
const LONGEST_FIELD_BYTES = 256 * 1024;
/** What is read and thrown away of a file that is too large, so that the sender gets to read the answer. */
const MOST_DRAINED_BYTES = 10 * 1024 * 1024;

export interface UploadDeclaration {
  /** The name of the form's file. */
  readonly file: string;
  readonly largestBytes: number;
  /** The other fields of the form, and what they are. */
  readonly fields: Readonly<Record<string, string>>;
  /** Those of them that must be there, for the documentation. */
  readonly required: readonly string[];
}

export interface Upload {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: { readonly filename: string; readonly bytes: Buffer; readonly isTooLarge: boolean } | undefined;
}

export async function acceptUploads(server: FastifyInstance): Promise<void> {
  await server.register(multipart, { throwFileSizeLimit: false });
}

export async function readUpload(request: FastifyRequest, { file: fileField, largestBytes }: UploadDeclaration): Promise<Upload> {
  if (!request.isMultipart()) throw new AppError('bad_request', 'Content-Type must be multipart/form-data');
  const fields = new Map<string, string[]>();
  let file: Upload['file'];
  try {
    const limits = { files: 1, fields: MOST_FIELDS, fieldSize: LONGEST_FIELD_BYTES, parts: MOST_FIELDS + 1 };
    for await (const part of request.parts({ limits: { ...limits, fileSize: MOST_DRAINED_BYTES } })) {
      if (part.type === 'file') {
        const received = await readFile(part.file, largestBytes);
        if (part.fieldname === fileField) file = { filename: part.filename, ...received };
      } else {
        fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), String(part.value)]);
      }
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', 'The form is not valid multipart/form-data, or has too many parts', { cause: error });
  }
  return { fields, file };
}

async function readFile(stream: AsyncIterable<Buffer>, largestBytes: number): Promise<{ bytes: Buffer; isTooLarge: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size <= largestBytes) pieces.push(piece);
    else pieces.length = 0;
  }
  return { bytes: Buffer.concat(pieces), isTooLarge: size > largestBytes };
}
