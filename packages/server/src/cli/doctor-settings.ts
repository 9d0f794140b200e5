/** The settings, as `doctor` looks at them: each by itself, so that all that are wrong show at once. */
import { type Config, ConfigError, type Environment, readConfig, type Setting, settings } from '../config.ts';
import { doubtful, type Finding, fine, wrong } from './doctor-finding.ts';
import { withMaskedPassword } from './masking.ts';

/** Read by who asks the service, `sync` and `mcp` among them. */
const CLIENT_SETTINGS = [
  ...['COMMONPLACE_URL', 'COMMONPLACE_ACCESS_KEY', 'COMMONPLACE_API_KEY'],
  ...['COMMONPLACE_WORKSPACE_ID', 'COMMONPLACE_AGENT_ID', 'COMMONPLACE_SESSION_ID'],
];

/** `config`: without those that are wrong, so that the other checks can go on. */
export function readSettings(environment: Environment): { config: Config; findings: Finding[] } {
  const usable: Record<string, string | undefined> = {};
  const width = Math.max(...settings.map(({ name }) => name.length));
  const findings = settings.map((setting) => {
    const value = environment[setting.name]?.trim();
    const problem = value ? problemWith(setting.name, value) : undefined;
    if (problem) return wrong(`${problem} Set it to one of these, or unset it.`);
    usable[setting.name] = value;
    return fine(`${setting.name.padEnd(width)}  ${value ? shown(setting, value) : `${setting.fallback} (default)`}`);
  });
  const known = new Set<string>([...settings.map(({ name }) => name), ...CLIENT_SETTINGS]);
  for (const name of Object.keys(environment).sort()) {
    if (name.startsWith('COMMONPLACE_') && !known.has(name))
      findings.push(doubtful(`${name} is no setting of the service, and does nothing.`));
  }
  return { config: readConfig(usable), findings };
}

function problemWith(name: string, value: string): string | undefined {
  try {
    readConfig({ [name]: value });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return withMaskedUrls(error.message);
    throw error;
  }
}

function shown({ name }: Setting, value: string): string {
  return /PASSWORD|KEY|_TOKEN$/.test(name) ? 'set' : withMaskedPassword(value);
}

/** The message quotes the value; one that is no address at all may still hold a password after a colon. */
function withMaskedUrls(message: string): string {
  return message.replace(/(\/\/[^\s/@:]*):[^\s@]*@/g, '$1:***@');
}
