// The component of each step.

import type { Component } from 'svelte';
import Analogy from './steps/Analogy.svelte';
import Arrows from './steps/Arrows.svelte';
import Bank from './steps/Bank.svelte';
import Cone from './steps/Cone.svelte';
import Crowd from './steps/Crowd.svelte';
import Directions from './steps/Directions.svelte';
import Ladder from './steps/Ladder.svelte';
import Length from './steps/Length.svelte';
import Lens from './steps/Lens.svelte';
import Limits from './steps/Limits.svelte';
import Lookup from './steps/Lookup.svelte';
import MapOrMeasure from './steps/MapOrMeasure.svelte';
import Noise from './steps/Noise.svelte';
import OneHot from './steps/OneHot.svelte';
import Packing from './steps/Packing.svelte';
import Pmi from './steps/Pmi.svelte';
import References from './steps/References.svelte';
import Superposition from './steps/Superposition.svelte';
import Tied from './steps/Tied.svelte';
import Width from './steps/Width.svelte';
import type { StepId } from './names';

export const STEPS: Record<StepId, Component> = {
  onehot: OneHot,
  lookup: Lookup,
  noise: Noise,
  arrows: Arrows,
  length: Length,
  ladder: Ladder,
  analogy: Analogy,
  tied: Tied,
  directions: Directions,
  crowd: Crowd,
  packing: Packing,
  superposition: Superposition,
  pmi: Pmi,
  width: Width,
  map: MapOrMeasure,
  cone: Cone,
  bank: Bank,
  lens: Lens,
  limits: Limits,
  references: References,
};
