/** Which form of request an endpoint takes: servers and models differ in what they refuse. */
import { z } from 'zod';
import { answerSchema } from './answer.ts';

export interface Form {
  /** An index of `formats`. */
  readonly format: number;
  readonly temperature: boolean;
}

const formats: readonly object[] = [
  { response_format: { type: 'json_schema', json_schema: { name: 'memories', strict: true, schema: answerSchema } } },
  { response_format: { type: 'json_object' } },
  {},
];
const best: Form = { format: 0, temperature: true };

/** The fields of a request that make its form. */
export function fieldsOf({ format, temperature }: Form): object {
  return { ...(temperature && { temperature: 0 }), ...formats[format] };
}

/** What to try after a refusal; nothing where there is nothing simpler. Some models refuse any temperature but their own. */
export function simplerForm({ format, temperature }: Form, refusal: string): Form | undefined {
  if (temperature && isAboutTemperature(refusal)) return { format, temperature: false };
  return format + 1 < formats.length ? { format: format + 1, temperature } : undefined;
}

const Refusal = z.object({ error: z.object({ param: z.string().nullish(), message: z.string().nullish() }) });

/** By what the endpoint says of the error: elsewhere it may repeat the whole request. */
function isAboutTemperature(refusal: string): boolean {
  try {
    const { data } = Refusal.safeParse(JSON.parse(refusal));
    return data?.error.param === 'temperature' || (data?.error.message ?? '').includes("'temperature'");
  } catch {
    return false;
  }
}

/** Remembers what an endpoint took, and hopes for the best again after a while. */
export class KnownForm {
  readonly #keptMs: number;
  readonly #nowMs: () => number;
  #form = best;
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(keptMs: number, nowMs: () => number = () => performance.now()) {
    this.#keptMs = keptMs;
    this.#nowMs = nowMs;
  }

  get(): Form {
    return this.#nowMs() < this.#untilMs ? this.#form : best;
  }

  /** Counted from when it was learnt, not from its last use. */
  learn(form: Form): void {
    if (form === this.get()) return;
    this.#form = form;
    this.#untilMs = this.#nowMs() + this.#keptMs;
  }
}
