// What the server says. Names follow the library's; every number comes with what it is over.

export interface Model {
  name: string;
  rows: number;
  width: number;
  stored: string;
  kept: number;
  spaces: string[];
  canRun: boolean;
  version: string;
}

export interface TokenView {
  id: number;
  text: string;
  name: string;
  bytes: string;
  kind: 'normal' | 'byte' | 'control' | 'user-defined' | 'unused' | 'no-token';
}

export interface Neighbour extends TokenView {
  value: number;
}

export interface Neighbours {
  token: TokenView;
  norm: number;
  metric: string;
  space: string;
  searched: number;
  projectionShare: number | null;
  neighbours: Neighbour[];
  refusal?: string;
}
