/** What a query of Prometheus asks for. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Query {
  readonly selectors: readonly Selector[];
  /** Labels that results are grouped by. */
  readonly grouping: readonly string[];
}

/** Throws where the text is no PromQL. */
export function readQuery(text: string): Query {
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const grouping: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, from, to, type, node }) => {
      if (type.isError) throw new Error(`No PromQL at ${from}: ${text}`);
      const part = (child: string) => {
        const found = node.getChild(child);
        return found ? text.slice(found.from, found.to) : '';
      };
      if (name === 'VectorSelector') selectors.push({ metric: part('Identifier'), matchers: [] });
      if (name === 'UnquotedLabelMatcher') {
        const value = part('StringLiteral').slice(1, -1);
        selectors.at(-1)?.matchers.push({ label: part('LabelName'), operator: part('MatchOp'), value });
      }
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') grouping.push(text.slice(from, to));
    },
  });
  return { selectors, grouping };
}

/** The values that a matcher means: `a|b` and `(a|b)_c` are two. */
export function wantedValues({ operator, value }: Matcher): string[] {
  if (operator !== '=~') return [value];
  const [, before, choice, after] = /^([^()|]*)\(([^()]+)\)([^()|]*)$/.exec(value) ?? [undefined, '', value, ''];
  return (choice as string).split('|').map((each) => `${before}${each}${after}`);
}
