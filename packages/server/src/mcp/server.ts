/** One MCP server for one message: what its caller may use, and nothing else. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { AppError } from '../errors.ts';
import { failureOf } from '../http/failures.ts';
import { memoryTools } from './memory-tools.ts';
import { adviceOn } from './places.ts';
import { getPrompt, listPrompts, promptRoutes } from './prompts.ts';
import { readingTools } from './reading-tools.ts';
import { listResources, listResourceTemplates, readResource, resourceRoutes } from './resources.ts';
import { refusalOf } from './scope.ts';
import type { Tool, ToolContext } from './tool.ts';

export const tools: readonly Tool[] = [...memoryTools, ...readingTools];

export function createMcpServer(context: ToolContext, version: string): Server {
  const { scope, routes } = context;
  const mayUse = (name: string) => {
    const route = routes.find(name);
    return route !== undefined && refusalOf(scope, route) === undefined;
  };
  const withPrompts = promptRoutes.every(mayUse);
  const withResources = resourceRoutes.every(mayUse);
  const capabilities: ServerCapabilities = {
    tools: {},
    ...(withPrompts && { prompts: {} }),
    ...(withResources && { resources: {} }),
  };
  const server = new Server(
    { name: 'commonplace', title: 'Commonplace', version },
    { capabilities, instructions: instructionsFor(context) },
  );

  server.setRequestHandler('tools/list', () => ({ tools: tools.filter(({ route }) => mayUse(route)).map(({ listed }) => listed) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = requireTool(context, params.name);
    try {
      return await tool.call(context, params.arguments);
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: explain(error, context) }] };
    }
  });
  if (withPrompts) {
    server.setRequestHandler('prompts/list', ({ params }) => orRefuse(context, () => listPrompts(context, params?.cursor)));
    server.setRequestHandler('prompts/get', ({ params }) => orRefuse(context, () => getPrompt(context, params.name, params.arguments)));
  }
  if (withResources) {
    server.setRequestHandler('resources/list', ({ params }) => orRefuse(context, () => listResources(context, params?.cursor)));
    server.setRequestHandler('resources/templates/list', listResourceTemplates);
    server.setRequestHandler('resources/read', ({ params }) => orRefuse(context, () => readResource(context, params.uri)));
  }
  return server;
}

function requireTool({ scope, routes }: ToolContext, name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  const route = tool && routes.find(tool.route);
  if (!tool || !route) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name.slice(0, 100))}`);
  const refusal = refusalOf(scope, route);
  if (refusal !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The tool ${name} is not for this caller: ${refusal}`);
  return tool;
}

/** A failure in one sentence. What is a fault of the service is logged and not shown. */
function explain(error: unknown, { scope }: ToolContext): string {
  const { body } = failureOf(error, scope.request, scope.reply);
  if (body.code === 'internal') return `The service failed, and its log says why (request ${scope.request.id}). Trying again may help.`;
  return adviceOn(body.errorMessage, scope, error instanceof AppError ? error.retryAfterSeconds : undefined);
}

async function orRefuse<Result>(context: ToolContext, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const code = error instanceof AppError ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, explain(error, context));
  }
}

function instructionsFor({ scope: { agentId, sessionName } }: ToolContext): string {
  const lacks = [
    ...(agentId === undefined ? ['no agent (header X-Agent-Id, COMMONPLACE_AGENT_ID)'] : []),
    ...(sessionName === undefined ? ['no session (header X-Session-Id, COMMONPLACE_SESSION_ID)'] : []),
  ];
  return [
    'Commonplace keeps what matters beyond one conversation: memories, messages, knowledge documents and prompts.',
    'Search before you answer what may depend on earlier conversations, and add what you learn.',
    ...(lacks.length > 0 ? [`This connection names ${lacks.join(' and ')}: tools that need one say so.`] : []),
  ].join(' ');
}
