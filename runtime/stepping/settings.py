"""How a motion is stepped, and what steps it."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments import Array
from ..contact.contacts import ContactOptions
from ..contact.state import ContactState, contact_state
from ..model.model import Model
from .closing import Closing
from .stepper import Stepper


@dataclass(frozen=True)
class Settings:
    """Length of a step [s], integrator, whether joints stop at their limits, contact as a simulator is asked for it,
    whether work is summed up."""

    dt: float
    integrator: str
    limits: bool
    contacts: bool | ContactOptions | None
    work: bool = False

    def contact_state(self, model: Model) -> ContactState | None:
        """Constraint rows of this model, None for none. ModelError where contact is asked for and was not compiled."""
        return contact_state(model, self.contacts)

    def stepper(self, model: Model, closing: Closing | None, structure: Array | None = None) -> Stepper:
        """What steps a model. ModelError for an unknown integrator, and as `contact_state`.

        `closing`: its loops; `structure`: parameters that tell what of a library is connected.
        """
        state = self.contact_state(model)
        return Stepper(model, self.integrator, self.dt, self.limits, state, closing, structure, self.work)
