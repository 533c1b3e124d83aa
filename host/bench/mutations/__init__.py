"""Mutations: small faults put into the table's code on purpose, to see whether the scenarios notice."""
