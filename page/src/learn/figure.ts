// A figure of the page from what the lesson says of it; what it leaves out is a plain axis.

import type { FigureData } from '../api/types';

type Said = Pick<FigureData, 'id' | 'title' | 'x_label' | 'y_label' | 'series'> & Partial<FigureData>;

export function figureOf(said: Said): FigureData {
  return { alt: said.title, caption: '', x_log: false, y_log: false, x_names: [], ...said };
}
