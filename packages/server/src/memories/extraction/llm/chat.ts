/** A language model behind an OpenAI-compatible endpoint. Neither the key nor a text ever stands in an error or in the log. */

import { z } from 'zod';
import type { Log } from '../../../logging.ts';
import { RemoteClient } from '../../../remote/client.ts';
import type { Endpoint, Service } from '../../../remote/endpoint.ts';
import { parseJson, type RemoteAnswer, TryFailed } from '../../../remote/post.ts';
import { Slots } from '../../../remote/slots.ts';
import { type Answer, findAnswer } from './answer.ts';
import { fieldsOf, KnownForm, simplerForm } from './forms.ts';
import type { LlmLimits } from './limits.ts';
import type { Prompt } from './prompt.ts';
import { LlmUnavailable } from './unavailable.ts';

/** Grows with each answer, used or not: a failure does not give the tokens back. */
export interface Usage {
  tokens: number;
}

const llm: Service = {
  name: 'The LLM endpoint',
  path: '/chat/completions',
  variables: { url: 'COMMONPLACE_LLM_URL', model: 'COMMONPLACE_LLM_MODEL', apiKey: 'COMMONPLACE_LLM_API_KEY' },
  maxAnswerBytes: 1024 * 1024,
  // What is refused may be the form of the request.
  readableRefusals: [400, 422],
  unusable: (message) => new LlmUnavailable(message),
  unavailable: (message, details) => new LlmUnavailable(message, details),
};

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
  usage: z.object({ total_tokens: z.int().nonnegative() }).nullish().catch(null),
});

export class Chat {
  readonly #model: string;
  readonly #limits: LlmLimits;
  readonly #client: RemoteClient;
  readonly #slots: Slots;
  readonly #form: KnownForm;
  #tokensTotal = 0;

  constructor(endpoint: Endpoint, limits: LlmLimits, log: Log | undefined) {
    const { model } = endpoint;
    this.#model = model;
    this.#limits = limits;
    const { timeoutMs, breakAfter, pauseMs, maxRequests, maxWaiting, formMs } = limits;
    const onPause = (err: unknown) => log?.warn({ model, err }, 'The LLM endpoint keeps failing; memories are extracted without it');
    this.#client = new RemoteClient({ service: llm, endpoint, timeoutMs, breakAfter, pauseMs, onPause });
    this.#slots = new Slots(maxRequests, maxWaiting, () => new LlmUnavailable('Too many requests wait for the LLM endpoint.'));
    this.#form = new KnownForm(formMs);
  }

  /** Throws `LlmUnavailable`, or what the signal was aborted with. */
  async ask(prompt: Prompt, usage: Usage, signal: AbortSignal): Promise<Answer> {
    // Held while it waits for its next try, too: an endpoint that is busy gets no other request meanwhile.
    const release = await this.#slots.take(signal);
    try {
      return await this.#askInSomeForm(prompt, usage, signal);
    } finally {
      release();
    }
  }

  gauges(): Record<string, number> {
    return {
      requests: this.#slots.taken,
      waiting_requests: this.#slots.waiting,
      ...this.#client.gauges(),
      tokens_total: this.#tokensTotal,
    };
  }

  async #askInSomeForm({ system, user }: Prompt, usage: Usage, signal: AbortSignal): Promise<Answer> {
    const { maxTries, totalMs, firstBackoffMs } = this.#limits;
    const deadlineMs = performance.now() + totalMs;
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
    const spend = (reported: number | undefined, content: string) => {
      const tokens = reported ?? Math.ceil((system.length + user.length + content.length) / 4);
      usage.tokens += tokens;
      this.#tokensTotal += tokens;
    };
    for (let form = this.#form.get(); ; ) {
      const body = { model: this.#model, messages, stream: false, ...fieldsOf(form) };
      const options = { maxTries, totalMs: deadlineMs - performance.now(), firstBackoffMs, signal };
      const outcome = await this.#client.ask(
        () => body,
        (answer) => read(answer, spend),
        options,
      );
      if ('answer' in outcome) {
        this.#form.learn(form);
        return outcome.answer;
      }
      const simpler = simplerForm(form, outcome.refusal);
      if (!simpler) throw new LlmUnavailable(`${llm.name} answered ${outcome.status}.`);
      form = simpler;
    }
  }
}

type Outcome = { readonly answer: Answer } | { readonly refusal: string; readonly status: number };

function read({ status, body }: RemoteAnswer, spend: (reported: number | undefined, content: string) => void): Outcome {
  if (status >= 400) return { refusal: body.toString('utf8'), status };
  const { data } = Completion.safeParse(parseJson(llm, body));
  if (!data) throw new TryFailed(`${llm.name} answered without a list called "choices"`);
  const content = data.choices[0]?.message.content ?? '';
  spend(data.usage?.total_tokens, content);
  const answer = findAnswer(content);
  if (!answer) throw new TryFailed(`${llm.name} answered without the JSON that it was asked for`, { answered: true });
  return { answer };
}
