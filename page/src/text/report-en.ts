// What the library's report says is English already; another language brings its own words for the same data here.

import type { FigureData, MeasureValue } from '../api/types';

/** A measure's value by name, written as the page writes numbers; '–' where the report has none. */
export type Say = (name: string) => string;

export interface SectionWords {
  title: string;
  /** The section's sentences, made from its measures; absent where the numbers stand for themselves. */
  sentences?: (say: Say) => string[];
  how?: string;
}

export interface FigureWords {
  title: (say: Say, figure: FigureData) => string;
  alt: string;
  x: string;
  y: string;
  caption: string;
}

export interface ReportWords {
  sections: Record<string, SectionWords>;
  measures: Record<string, { title: string; definition: string }>;
  figures: Record<string, FigureWords>;
}

export const reportEn: ReportWords = {
  sections: {},
  measures: {},
  figures: {},
};

/** How a measure of the report is written. */
export type Written = (measure: MeasureValue) => string;
