/** What of Mastra’s processors is used, as `@mastra/core` 1.71 has it: nothing of it is imported, so that nothing of it need be installed to build this. */

export interface MastraMessage {
  id: string;
  role: 'user' | 'assistant' | 'system' | 'signal';
  createdAt: Date;
  threadId?: string;
  resourceId?: string;
  content: { format: 2; parts: MastraPart[] };
}

/** Of a text its `text`, of a file its `mimeType` and perhaps its `filename`. */
export interface MastraPart {
  type: string;
  text?: string;
  mimeType?: string;
  filename?: string;
}

export interface MastraMessageList {
  /** `memory`: the model sees it, and nothing keeps it as new. */
  add(
    messages: { id: string; role: 'user' | 'assistant'; createdAt: Date; content: { format: 2; parts: TextPart[] } }[],
    source: 'memory',
  ): unknown;
  addSystem(text: string, tag?: string): unknown;
}

interface TextPart {
  type: 'text';
  text: string;
}

interface ProcessorArguments<List> {
  readonly messageList: List;
  readonly messages: readonly MastraMessage[];
  /** One object for both ends of a run. */
  readonly state: Record<string, unknown>;
  readonly abortSignal?: AbortSignal;
  readonly requestContext?: { get(key: string): unknown };
}

export type InputArguments<List> = ProcessorArguments<List>;

export interface OutputArguments<List> extends ProcessorArguments<List> {
  readonly result: { readonly text: string; readonly finishReason: string; readonly steps: readonly { readonly text: string }[] };
}

/** Both a processor of inputs and one of outputs. */
export interface RememberProcessor {
  readonly id: 'commonplace';
  processInput<List extends MastraMessageList>(args: InputArguments<List>): Promise<List>;
  processOutputResult<List extends MastraMessageList>(args: OutputArguments<List>): Promise<List>;
}

/** Where a run belongs, by its `memory: { thread, resource }`. */
export interface ConversationPlace {
  readonly threadId: string | undefined;
  readonly resourceId: string | undefined;
  readonly requestContext: { get(key: string): unknown } | undefined;
}

/** A file stands in the text as `[image/png]` or `[application/pdf: invoice.pdf]`: its bytes and its address are not kept. */
export function textOf({ content: { parts } }: MastraMessage): string {
  const texts = parts.map(({ type, text, mimeType, filename }) => {
    if (type === 'text') return text ?? '';
    return type === 'file' ? `[${[mimeType ?? 'file', ...(filename ? [filename] : [])].join(': ')}]` : '';
  });
  return storable(texts.filter((text) => text !== '').join('\n'));
}

/** Without what no database keeps. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
