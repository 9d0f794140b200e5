/** What changed between two contents, line by line. Pure, and run in a thread where there are many lines. */
import type { PromptDiff } from '@commonplace/contract/prompts';
import { diffLines, formatPatch, type StructuredPatchHunk } from 'diff';

/** Lines removed and added; the work grows with its square. Beyond it all lines count as removed and added. */
const MOST_EDITS = 1_000;
const CONTEXT_LINES = 4;
const NO_NEWLINE = '\\ No newline at end of file';

export type ContentDiff = Pick<PromptDiff, 'unified' | 'changes'>;
type Changes = ContentDiff['changes'];

export interface NamedContent {
  readonly name: string;
  readonly content: string;
}

export function diffContents(from: NamedContent, to: NamedContent): ContentDiff {
  if (from.content === to.content) return { changes: [{ kind: 'same', text: to.content }], unified: '' };
  const changes = changesBetween(from.content, to.content);
  const names = { oldFileName: from.name, newFileName: to.name, oldHeader: undefined, newHeader: undefined };
  return { changes, unified: formatPatch({ ...names, hunks: hunksOf(changes) }) };
}

function changesBetween(from: string, to: string): Changes {
  const found = diffLines(from, to, { maxEditLength: MOST_EDITS });
  if (!found) {
    return [
      { kind: 'removed', text: from },
      { kind: 'added', text: to },
    ];
  }
  return found.map(({ added, removed, value }) => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text: value }));
}

/** Changes that stand near each other, with the lines around them. */
function hunksOf(changes: Changes): StructuredPatchHunk[] {
  const hunks: StructuredPatchHunk[] = [];
  let open: StructuredPatchHunk | undefined;
  let before: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (const [index, { kind, text }] of changes.entries()) {
    const lines = linesOf(text);
    if (kind === 'same') {
      const joins = lines.length <= 2 * CONTEXT_LINES && index < changes.length - 1;
      if (open) add(open, ' ', joins ? lines : lines.slice(0, CONTEXT_LINES));
      if (!joins) open = undefined;
      before = lines.slice(-CONTEXT_LINES);
    } else {
      if (!open) {
        open = { oldStart: oldLine - before.length, oldLines: 0, newStart: newLine - before.length, newLines: 0, lines: [] };
        add(open, ' ', before);
        hunks.push(open);
      }
      add(open, kind === 'added' ? '+' : '-', lines);
    }
    if (kind !== 'added') oldLine += lines.length;
    if (kind !== 'removed') newLine += lines.length;
  }
  return hunks;
}

function add(hunk: StructuredPatchHunk, sign: ' ' | '+' | '-', lines: readonly string[]): void {
  for (const line of lines) {
    const ends = line.endsWith('\n');
    hunk.lines.push(`${sign}${ends ? line.slice(0, -1) : line}`);
    if (!ends) hunk.lines.push(NO_NEWLINE);
  }
  if (sign !== '+') hunk.oldLines += lines.length;
  if (sign !== '-') hunk.newLines += lines.length;
}

/** Each with its end, where it has one. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = (lines.pop() as string).slice(0, -1);
  return last === '' ? lines : [...lines, last];
}
