"""Input prediction: on which input does a program have an output?"""
