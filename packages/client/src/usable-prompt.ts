/** A prompt as an application uses it: ready to be filled in. */
import { CommonplaceError } from './errors.ts';
import { type PromptVariables, parseChat, renderTexts } from './rendering.ts';
import type { ChatMessage, PromptVersion } from './types.ts';

/** What to use while the service can’t be reached: a text, or the messages of a chat. */
export type PromptFallback = string | ChatMessage[];

export class UsablePrompt {
  readonly name: string;
  readonly type: 'text' | 'chat';
  /** With its `{{placeholders}}`; of a chat, JSON. */
  readonly content: string;
  /** The version that the service gave; undefined of a fallback. */
  readonly version: PromptVersion | undefined;

  private constructor(name: string, type: 'text' | 'chat', content: string, version?: PromptVersion) {
    this.name = name;
    this.type = type;
    this.content = content;
    this.version = version;
  }

  static fromVersion(version: PromptVersion): UsablePrompt {
    return new UsablePrompt(version.handle, version.type, version.content, version);
  }

  static fromFallback(name: string, fallback: PromptFallback): UsablePrompt {
    return typeof fallback === 'string'
      ? new UsablePrompt(name, 'text', fallback)
      : new UsablePrompt(name, 'chat', JSON.stringify(fallback));
  }

  /** Whether the service could not be reached and this is the fallback. */
  get isFallback(): boolean {
    return this.version === undefined;
  }

  /** The text of a text prompt. A fallback need not use every variable. */
  render(variables: PromptVariables = {}): string {
    if (this.type === 'chat') throw new CommonplaceError(`${this.name} is a chat prompt: use renderMessages`);
    return renderTexts([this.content], variables, !this.isFallback)[0] as string;
  }

  /** The messages of a chat prompt; of a text prompt one message of the system. */
  renderMessages(variables: PromptVariables = {}): ChatMessage[] {
    const messages = this.type === 'chat' ? parseChat(this.content) : [{ role: 'system', content: this.content }];
    const texts = renderTexts(
      messages.map(({ content }) => content),
      variables,
      !this.isFallback,
    );
    return messages.map(({ role }, index) => ({ role, content: texts[index] as string }));
  }
}
