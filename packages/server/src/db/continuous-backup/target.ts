/** Where a backup is kept: a folder, or a bucket that speaks S3. */
import { FolderTarget } from './folder-target.ts';
import { S3Target } from './s3-target.ts';
import { readTargetUrl } from './target-url.ts';

export interface StoredObject {
  readonly name: string;
  readonly sizeBytes: number;
}

export interface Target {
  /** Whole or not at all. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  /** All names in a folder and below, in order; those after one, where it is given. */
  list(folder: string, after?: string): AsyncIterable<StoredObject>;
  /** The folders at the top, in order. */
  listFolders(): Promise<string[]>;
  remove(names: readonly string[]): Promise<void>;
}

export interface TargetOptions {
  readonly url: string;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
}

export class TargetUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetUnusable';
  }
}

export function openTarget({ url, accessKeyId, secretAccessKey, sessionToken }: TargetOptions): Target {
  const address = readTargetUrl(url);
  if (!address) throw new TargetUnusable('The address of the backup is neither file:///folder nor s3://bucket/prefix.');
  if (address.kind === 'folder') return new FolderTarget(address.folder);
  if (!accessKeyId || !secretAccessKey) {
    throw new TargetUnusable(`The bucket ${address.bucket} needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
  }
  return new S3Target(address, { accessKeyId, secretAccessKey, sessionToken });
}
