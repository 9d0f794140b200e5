/** The prompts of the workspace as MCP prompts: their variables are the arguments, and getting one fills it in. */
import type { Prompt, PromptVersion, RenderedPrompt } from '@commonplace/contract/prompts';
import type { PageMeta } from '@commonplace/contract/wire';
import type { GetPromptResult, ListPromptsResult, PromptArgument, PromptMessage } from '@modelcontextprotocol/server';
import { AppError } from '../errors.ts';
import type { ToolContext } from './tool.ts';

/** All of them are needed for it to be of use. */
export const promptRoutes = ['listPrompts', 'getPromptByName', 'renderPrompt'];

/** Each costs a look at its latest version. */
const PAGE_SIZE = 20;

export async function listPrompts(context: ToolContext, cursor: string | undefined): Promise<ListPromptsResult> {
  const query = { limit: PAGE_SIZE, cursor };
  const page = await context.routes.call<{ prompts: Prompt[]; _meta: PageMeta }>(context.scope, 'listPrompts', { query });
  const prompts = [];
  // One after the other: the contents can be large.
  for (const { handle, name, description } of page.prompts) {
    prompts.push({ name: handle, title: name, ...(description && { description }), arguments: await argumentsOf(context, handle) });
  }
  return { prompts, ...(page._meta.cursor !== undefined && { nextCursor: page._meta.cursor }) };
}

export async function getPrompt(context: ToolContext, name: string, variables: Record<string, string> = {}): Promise<GetPromptResult> {
  const { text, messages } = await context.routes.call<RenderedPrompt>(context.scope, 'renderPrompt', {
    params: { promptName: name },
    body: { variables },
  });
  const said = messages ?? [{ role: 'user', content: text ?? '' }];
  return { messages: said.map(({ role, content }) => messageOf(role, content)) };
}

async function argumentsOf({ scope, routes }: ToolContext, handle: string): Promise<PromptArgument[]> {
  try {
    const { variables } = await routes.call<PromptVersion>(scope, 'getPromptByName', { params: { promptName: handle } });
    return variables.map((name) => ({ name, required: true }));
  } catch (error) {
    // Deleted between the list and this look at it.
    if (error instanceof AppError && error.code === 'not_found') return [];
    throw error;
  }
}

/** MCP knows no system messages: those are the user’s there. */
function messageOf(role: string, text: string): PromptMessage {
  return { role: role === 'assistant' ? 'assistant' : 'user', content: { type: 'text', text } };
}
