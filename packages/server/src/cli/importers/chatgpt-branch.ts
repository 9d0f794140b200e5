/** Of the tree that a conversation is, the branch that its reader sees: from the root to the current node. */
import { fieldOf, isObject, shortened, textField } from './items.ts';

export interface BranchNode {
  readonly id: string;
  readonly message: unknown;
}

export interface Branch {
  readonly nodes: BranchNode[];
  /** What is wrong with the tree: it is read as far as it goes. */
  readonly damage: string | undefined;
}

export function branchOf(mapping: Readonly<Record<string, unknown>>, current: string | undefined): Branch {
  const nodes: BranchNode[] = [];
  const seen = new Set<string>();
  let damage: string | undefined;
  const isKnown = current !== undefined && isObject(fieldOf(mapping, current));
  for (let id = isKnown ? current : newestLeafOf(mapping); id !== undefined; ) {
    const node = fieldOf(mapping, id);
    if (!isObject(node)) damage = `the node ${shortened(id, 60)} is missing; what stands before it is left out`;
    else if (seen.has(id)) damage = 'its messages go round in a circle; each is taken once';
    if (!isObject(node) || seen.has(id)) break;
    seen.add(id);
    nodes.push({ id, message: fieldOf(node, 'message') });
    id = textField(node, 'parent');
  }
  return { nodes: nodes.reverse(), damage };
}

/** Where it is not said: the message that was written last, of those that nothing follows. */
function newestLeafOf(mapping: Readonly<Record<string, unknown>>): string | undefined {
  const parents = new Set(Object.values(mapping).map((node) => textField(node, 'parent')));
  let newest: string | undefined;
  let newestTime = Number.NEGATIVE_INFINITY;
  for (const [id, node] of Object.entries(mapping)) {
    if (parents.has(id)) continue;
    const time = fieldOf(fieldOf(node, 'message'), 'create_time');
    if (newest === undefined || (typeof time === 'number' && time > newestTime)) newest = id;
    if (typeof time === 'number') newestTime = Math.max(newestTime, time);
  }
  return newest;
}
