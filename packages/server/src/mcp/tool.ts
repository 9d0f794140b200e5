/** What a tool is: what a model reads of it, the route whose access it has, and how its arguments become calls. */
import type { CallToolResult, Tool as ListedTool, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { inputSchema } from '../http/body-limits.ts';
import { validate } from '../http/validation.ts';
import { LARGE_BYTES, largeWork } from '../lanes/loop-turns.ts';
import type { RouteCalls } from './route-calls.ts';
import type { Scope } from './scope.ts';

/** What a tool, a prompt or a resource may use. */
export interface ToolContext {
  readonly scope: Scope;
  readonly routes: RouteCalls;
  readonly db: Context['db'];
}

interface ToolDeclaration<Arguments extends z.ZodObject, Answer extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, what comes back. */
  readonly description: string;
  /** The name of the route that it stands for: listed for those who may call that, where there is such a route. */
  readonly route: string;
  readonly arguments: Arguments;
  /** What comes back; nothing of the route’s answer that it leaves out. */
  readonly answer: Answer;
  readonly annotations: ToolAnnotations;
  run(context: ToolContext, given: z.output<Arguments>): Promise<z.input<Answer>>;
}

/** A tool whose particulars no longer matter to the type checker. */
export interface Tool {
  readonly name: string;
  readonly route: string;
  readonly listed: ListedTool;
  call(context: ToolContext, given: unknown): Promise<CallToolResult>;
}

export function tool<const Arguments extends z.ZodObject, const Answer extends z.ZodObject>(
  declaration: ToolDeclaration<Arguments, Answer>,
): Tool {
  const { name, title, description, route, annotations, answer } = declaration;
  return {
    name,
    route,
    listed: {
      name,
      title,
      description,
      inputSchema: inputSchema(declaration.arguments) as ListedTool['inputSchema'],
      outputSchema: z.toJSONSchema(answer, { io: 'output', unrepresentable: 'any' }) as NonNullable<ListedTool['outputSchema']>,
      annotations: { title, openWorldHint: false, ...annotations },
    },
    call: async (context, given) => {
      const structuredContent = answer.parse(await declaration.run(context, validate(declaration.arguments, given ?? {})));
      const text = JSON.stringify(structuredContent);
      // What follows is written at once, as the answer to the message.
      if (text.length > LARGE_BYTES) await largeWork.take();
      return { content: [{ type: 'text', text }], structuredContent };
    },
  };
}
