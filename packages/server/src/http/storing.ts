/** What a request stores, held against the quota of its workspace: by what its route declares and what is sent. */
import type { Quotas } from '../quotas/quotas.ts';
import { type Amounts, textBytes } from '../quotas/rules.ts';
import type { Reservation } from '../quotas/workspace-counts.ts';
import { type DeclaredRoute, mayStore } from './route.ts';
import type { Upload } from './upload.ts';

interface Sent {
  readonly query: unknown;
  readonly body: unknown;
  readonly upload: Upload | undefined;
}

/** Undefined where nothing that it could store or delete is limited. */
export function storingOf(quotas: Quotas, workspaceId: string | undefined, route: DeclaredRoute, sent: Sent): Storing | undefined {
  const { method, stores } = route;
  if (workspaceId === undefined || !quotas.limitsStored(workspaceId)) return undefined;
  const isStored = mayStore(route) && stores !== 'nothing';
  return isStored || method === 'DELETE' ? new Storing(quotas, workspaceId, route, sent) : undefined;
}

export class Storing {
  readonly #quotas: Quotas;
  readonly #workspaceId: string;
  readonly #route: DeclaredRoute;
  readonly #sent: Sent;
  #reservation: Reservation | undefined;

  constructor(quotas: Quotas, workspaceId: string, route: DeclaredRoute, sent: Sent) {
    this.#quotas = quotas;
    this.#workspaceId = workspaceId;
    this.#route = route;
    this.#sent = sent;
  }

  /** Throws where there is no room for it. */
  async begin(): Promise<void> {
    if (this.#route.method === 'DELETE') return;
    this.#reservation = await this.#quotas.reserve(this.#workspaceId, await amountsOf(this.#route, this.#sent));
  }

  /** It was carried out. */
  keep(): void {
    this.#reservation?.keep();
    if (this.#route.method === 'DELETE') this.#quotas.noteFreed(this.#workspaceId);
  }

  /** Gives back what was not kept. */
  end(): void {
    this.#reservation?.release();
  }
}

async function amountsOf({ stores }: DeclaredRoute, sent: Sent): Promise<Amounts> {
  const { query, body, upload } = sent;
  const bytes = textBytes(query) + textBytes(body) + (upload ? uploadBytes(upload) : 0);
  const also = typeof stores === 'function' ? await stores(sent) : {};
  return { ...also, bytes: bytes + (also.bytes ?? 0) };
}

function uploadBytes({ file, fields }: Upload): number {
  let bytes = file?.bytes.length ?? 0;
  for (const values of fields.values()) bytes += textBytes(values);
  return bytes;
}
