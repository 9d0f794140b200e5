import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabItem<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly count?: number | undefined;
}

interface TabsProps<Value extends string> {
  readonly label: string;
  readonly items: readonly TabItem<Value>[];
  readonly value: Value;
  /** Keep the choice in the address. */
  readonly onChange: (value: Value) => void;
  readonly className?: string;
  readonly children: (value: Value) => ReactNode;
}

export function Tabs<Value extends string>({ label, items, value, onChange, className, children }: TabsProps<Value>) {
  return (
    <BaseTabs.Root value={value} onValueChange={(next) => onChange(next as Value)}>
      <BaseTabs.List className={className ? `tabs ${className}` : 'tabs'} aria-label={label}>
        {items.map((item) => (
          <BaseTabs.Tab key={item.value} className="tab" value={item.value}>
            {item.label}
            {item.count !== undefined && <span className="count">{item.count.toLocaleString('en')}</span>}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      <BaseTabs.Panel key={value} value={value} className="tab-panel">
        {children(value)}
      </BaseTabs.Panel>
    </BaseTabs.Root>
  );
}

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly items: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Two to four views of the same data. */
export function Segmented<Value extends string>({ label, items, value, onChange }: SegmentedProps<Value>) {
  return (
    <fieldset className="segmented">
      <legend className="sr-only">{label}</legend>
      {items.map((item) => (
        <button key={item.value} type="button" aria-pressed={item.value === value} onClick={() => onChange(item.value)}>
          {item.label}
        </button>
      ))}
    </fieldset>
  );
}
